#pragma once
// Memory that the host provides for a plugin's calls: work areas and results. Guard words on both
// sides reveal writes outside of the memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "torsor/base/memory.hpp"
#include "torsor/sdk/torsor_model.h"

namespace torsor {

// The value of the guard words, a NaN. If a plugin reads outside of the memory and computes with
// the value, its results become NaN.
inline constexpr uint64_t guard_pattern = 0x7ff4'dead'beef'0f0f;

// An array of fixed size, aligned to 64 bytes and initialised to zero. data() points to allocated
// memory even if the size is 0. The constructor calls reserve_memory() and throws
// Error if too little is left. Throws std::bad_alloc if the allocation fails.
template <class T>
class LentArray {
  static_assert(sizeof(T) % sizeof(uint64_t) == 0);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  LentArray() : LentArray(0) {}
  explicit LentArray(size_t size) : size_(size) {
    if (size > std::numeric_limits<size_t>::max() / (2 * sizeof(T))) throw std::bad_alloc();
    reserve_memory("the work area of a plugin", double(size) * sizeof(T));
    memory_.reset(static_cast<std::byte*>(
        ::operator new[](size * sizeof(T) + 2 * guard_bytes, std::align_val_t(guard_bytes))));
    for (size_t k = 0; k < guard_bytes; k += sizeof(uint64_t))
      for (std::byte* guard : {memory_.get(), memory_.get() + guard_bytes + size * sizeof(T)})
        std::memcpy(guard + k, &guard_pattern, sizeof guard_pattern);
    std::uninitialized_value_construct_n(data(), size);
  }

  T* data() { return reinterpret_cast<T*>(memory_.get() + guard_bytes); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.get() + guard_bytes); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  const T* begin() const { return data(); }
  T* end() { return data() + size_; }
  const T* end() const { return data() + size_; }
  T& operator[](size_t k) { return data()[k]; }
  const T& operator[](size_t k) const { return data()[k]; }

  // [hot] Returns whether the guard words before and after the array are unchanged.
  bool is_intact() const {
    return ((word(guard_bytes - sizeof(uint64_t)) ^ guard_pattern) |
            (word(guard_bytes + size_ * sizeof(T)) ^ guard_pattern)) == 0;
  }
  // Returns whether the guard word before the array was changed.
  bool is_damaged_before() const { return word(guard_bytes - sizeof(uint64_t)) != guard_pattern; }

 private:
  static constexpr size_t guard_bytes = 64;
  struct AlignedDelete {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(guard_bytes)); }
  };
  uint64_t word(size_t offset) const {
    uint64_t out;
    std::memcpy(&out, memory_.get() + offset, sizeof out);
    return out;
  }

  std::unique_ptr<std::byte[], AlignedDelete> memory_;
  size_t size_;
};

// The scratch memory of hot calls.
using WorkArea = LentArray<double>;

// Status code: the call wrote outside of an array. k is the index of the array among the arguments
// of check_guards(). The number in the status is 2 k for a write after the array, and 2 k + 1 for a
// write before it.
inline constexpr int overrun_code = 74;

// [hot] Returns TORSOR_OK, or a status with overrun_code for the first array whose guard words were
// changed.
template <class... Arrays>
torsor_status check_guards(const Arrays&... arrays) {
  if ((arrays.is_intact() && ...)) [[likely]]
    return TORSOR_OK;
  int k = 0, found = -1;
  ((found = found < 0 && !arrays.is_intact() ? 2 * k + arrays.is_damaged_before() : found, ++k),
   ...);
  return TORSOR_STATUS(overrun_code, found);
}

// Returns a clause for a status with overrun_code, such as "wrote beyond the end of 'tau', ...".
// names: the names of the arguments of check_guards(), in their order.
std::string overrun_text(torsor_status status, std::span<const char* const> names);

}  // namespace torsor
