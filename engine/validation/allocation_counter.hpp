#pragma once
// Counts the memory blocks that the complete process allocates and frees, including plugins loaded
// with dlopen. A program that links the objects torsor_allocation_counter has its own malloc, which
// every operator new of the C++ library calls.

namespace torsor {

// Returns whether allocations can be counted: not in builds with a sanitizer, which replaces
// malloc.
bool can_count_allocations();

// Returns the number of blocks allocated since the program began, by malloc, calloc, realloc and
// their aligned variants, on any thread.
long allocations();
// Returns how many of these blocks have not been freed.
long live_allocations();

}  // namespace torsor
