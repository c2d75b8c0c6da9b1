// The entry function of a libFuzzer program. TORSOR_FUZZ_TARGET is the name of the target.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  torsor::fuzz::TORSOR_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Options of the address sanitizer. A request for more than 256 MB fails, in C code too, as on a
// machine without that memory. operator new is replaced below, because the sanitizer's would end
// the process instead of throwing std::bad_alloc. The other forms of new are still the sanitizer's;
// alloc_dealloc_mismatch=0 allows their memory to be freed by the delete below.
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:allocator_may_return_null=1:alloc_dealloc_mismatch=0";
}

namespace {

constexpr size_t most_bytes = size_t(256) << 20;

void* checked(void* block) {
  if (!block) throw std::bad_alloc();
  return block;
}
void* allocate(size_t size) {
  return checked(size <= most_bytes ? std::malloc(size) : nullptr);
}
void* allocate(size_t size, size_t alignment) {
  const size_t whole = (size + alignment - 1) / alignment * alignment;
  return checked(size <= most_bytes ? std::aligned_alloc(alignment, whole) : nullptr);
}

}  // namespace

void* operator new(size_t size) {
  return allocate(size);
}
void* operator new[](size_t size) {
  return allocate(size);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return allocate(size, size_t(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return allocate(size, size_t(alignment));
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete[](void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t) noexcept {
  std::free(block);
}
void operator delete[](void* block, size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete[](void* block, size_t, std::align_val_t) noexcept {
  std::free(block);
}
