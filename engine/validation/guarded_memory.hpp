#pragma once
// Arrays between guard pages. An access beyond the end of an array stops the process immediately.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "torsor/loading/child.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::validation {

// An array that ends at the end of a page, or as near to it as its alignment allows. The unused
// bytes of its pages contain a pattern.
class GuardedArray {
 public:
  GuardedArray(std::string name, size_t bytes, size_t alignment = alignof(double));
  ~GuardedArray();
  GuardedArray(GuardedArray&&) noexcept;
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  template <class T = double>
  T* data() const {
    return reinterpret_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  void make_read_only();
  // Makes the array inaccessible. Every later access stops the process.
  void withdraw();
  // Returns whether the pattern in the unused bytes around the array is unchanged.
  bool is_pattern_intact() const;

 private:
  std::string name_;
  size_t bytes_, mapped_;
  std::byte* pages_;  // the first and the last page are inaccessible
  std::byte* data_;
};

// Handles SIGSEGV while it exists. If the process is stopped by a forbidden access, it appends to
// the stage which array was accessed and how. The arrays must outlive this object. Only one object
// may exist at a time.
class FaultWatch {
 public:
  FaultWatch(Stage& stage, std::vector<const GuardedArray*> arrays);
  ~FaultWatch();
};

}  // namespace torsor::validation
