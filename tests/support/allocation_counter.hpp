#pragma once
// Counts the memory blocks that the whole process asks for, plugins loaded with dlopen included: a program
// that links torsor_allocation_counter (and exports its symbols, ENABLE_EXPORTS) has its own malloc, which
// every operator new of the C++ library calls.

namespace torsor::test {

// False where a sanitizer owns malloc: such a build cannot count, and a test of counts skips itself.
bool can_count_allocations();

// Blocks asked for since the program began, by malloc, calloc, realloc and their aligned kin, from any
// thread.
long allocations();

}  // namespace torsor::test

#define TORSOR_NEEDS_ALLOCATION_COUNTS()      \
  if (!torsor::test::can_count_allocations()) \
  GTEST_SKIP() << "a sanitizer owns malloc in this build: allocations cannot be counted"
