#pragma once
// Counts the memory blocks that the whole process allocates and frees, including plugins loaded
// with dlopen. A program that links the object library torsor_allocation_counter replaces malloc.
// operator new of the C++ library calls this malloc too.

namespace torsor {

// Returns whether allocations can be counted. Returns false in builds with a sanitizer, because the
// sanitizer replaces malloc itself.
bool can_count_allocations();

// Returns the number of blocks that all threads have allocated since the program started, with
// malloc, calloc, realloc and their aligned variants.
long allocations();
// Returns the number of blocks that are allocated and not yet freed.
long live_allocations();

}  // namespace torsor
