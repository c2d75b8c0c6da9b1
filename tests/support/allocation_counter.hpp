#pragma once
#include "torsor/validation/allocation_counter.hpp"

#define TORSOR_NEEDS_ALLOCATION_COUNTS() \
  if (!torsor::can_count_allocations())  \
  GTEST_SKIP() << "the sanitizer replaces malloc: allocations cannot be counted"
