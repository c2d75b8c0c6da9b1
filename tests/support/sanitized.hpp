#pragma once
#include "torsor/base/sanitized.hpp"

// Skips a test of the messages about faults in a build with a sanitizer.
#define TORSOR_NEEDS_OWN_FAULT_REPORTS() \
  if (TORSOR_SANITIZED) GTEST_SKIP() << "the sanitizer reports faults in place of the program"
