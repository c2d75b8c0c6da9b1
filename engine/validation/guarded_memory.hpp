#pragma once
// Memory between guard pages: an access beyond its end stops the process at that access.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "torsor/loading/child.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::validation {

// An array that ends at the end of a page, as nearly as its alignment allows. The remaining bytes
// of its pages contain a pattern.
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
  // Makes every later access fault.
  void withdraw();
  // Returns whether nothing has written next to the array.
  bool is_pattern_whole() const;

 private:
  std::string name_;
  size_t bytes_, mapped_;
  std::byte* pages_;  // with an inaccessible page at each end
  std::byte* data_;
};

// A watch for forbidden accesses. If the process is stopped for one, it adds to the stage which of
// these arrays was accessed and how. The arrays must outlive it. Only one may exist at a time.
class FaultWatch {
 public:
  FaultWatch(Stage& stage, std::vector<const GuardedArray*> arrays);
  ~FaultWatch();
};

}  // namespace torsor::validation
