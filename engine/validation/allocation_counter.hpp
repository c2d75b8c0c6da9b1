#pragma once
// Counts the memory blocks that the whole process asks for and gives back, plugins loaded with
// dlopen included: a program that links the objects torsor_allocation_counter has its own malloc,
// which every operator new of the C++ library calls.

namespace torsor {

// False where a sanitizer owns malloc: such a build cannot count.
bool can_count_allocations();

// Blocks asked for since the program began, by malloc, calloc, realloc and their aligned kin, from
// any thread.
long allocations();
// Returns how many of them have not been freed.
long live_allocations();

}  // namespace torsor
