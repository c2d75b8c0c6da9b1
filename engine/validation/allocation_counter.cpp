#include "torsor/validation/allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "torsor/base/sanitized.hpp"

namespace {
std::atomic<long> asked{0}, given_back{0};
}  // namespace

namespace torsor {
long allocations() {
  return asked.load();
}
long live_allocations() {
  return asked.load() - given_back.load();
}
}  // namespace torsor

#if TORSOR_SANITIZED

namespace torsor {
bool can_count_allocations() {
  return false;
}
}  // namespace torsor

#else

namespace torsor {
bool can_count_allocations() {
  return true;
}
}  // namespace torsor

namespace {
void note(std::atomic<long>& blocks) {
  blocks.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

// glibc's own allocation functions. glibc provides these names for programs that replace malloc.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);

void* malloc(size_t size) noexcept {
  note(asked);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) noexcept {
  note(asked);
  return __libc_calloc(count, size);
}
void* realloc(void* block, size_t size) noexcept {
  if (block) note(given_back);
  note(asked);
  return __libc_realloc(block, size);
}
void free(void* block) noexcept {
  if (block) note(given_back);
  __libc_free(block);
}
void* memalign(size_t alignment, size_t size) noexcept {
  note(asked);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) noexcept {
  *block = memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}
}

#endif
