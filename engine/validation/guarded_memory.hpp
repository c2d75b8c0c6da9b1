#pragma once
// Memory that ends at a page which nobody may touch: whoever goes beyond it is stopped where he
// does.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "torsor/loading/child.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::validation {

// An array whose end is that of a page, as nearly as its alignment allows; the bytes of its pages
// around it have a pattern.
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
  void withdraw();                // nobody may read it any more
  bool is_pattern_whole() const;  // nobody has written around it

 private:
  std::string name_;
  size_t bytes_, mapped_;
  std::byte* pages_;  // with one at each end that nobody may touch
  std::byte* data_;
};

// Says in the stage, where this process is stopped for touching what it may not, which of these
// arrays it was at and how. The arrays outlive it; one at a time.
class FaultWatch {
 public:
  FaultWatch(Stage& stage, std::vector<const GuardedArray*> arrays);
  ~FaultWatch();
};

}  // namespace torsor::validation
