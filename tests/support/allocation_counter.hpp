#pragma once
#include "torsor/validation/allocation_counter.hpp"

#define TORSOR_NEEDS_ALLOCATION_COUNTS() \
  if (!torsor::can_count_allocations())  \
  GTEST_SKIP() << "a sanitizer owns malloc in this build: allocations cannot be counted"
