#pragma once
// The results of a solver's calls belong to its caller, who has no guard words around them. So the plugin often writes to guarded
// memory, from which the results are then copied.

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>

#include "torsor/dynamics/lent_array.hpp"

namespace torsor {

class LentResults {
 public:
  struct Result {
    const char* name;  // as in torsor_plugin.h
    double* data;      // [size]
    size_t size;
  };
  static constexpr size_t most_results = 5;
  using Pointers = std::array<double*, most_results>;  // to the memory that the plugin writes to

  LentResults() = default;
  // Makes room for vectors of a model with n dof, and for larger results up to half a megabyte each.
  explicit LentResults(size_t n) : capacity_(std::max({least, 8 * n, std::min(n * n * n, most_numbers)})) {
    for (LentArray<double>& array : arrays_) array = LentArray<double>(capacity_ + 1);
  }

  // [hot] Sets the pointers for a call of a function, and returns whether they point to guarded memory. They do in the first of 16
  // calls of each function: to copy the results of every call takes 3 % of the time of a small robot's inverse dynamics.
  bool begin(const char* function, std::initializer_list<Result> results, Pointers& pointers) {
    const bool is_lent = is_checked(function, *results.begin());
    size_t k = 0;
    for (const Result& result : results) {
      pointers[k] = is_lent ? arrays_[k].data() : result.data;
      if (is_lent) std::memcpy(pointers[k] + result.size, &guard_pattern, sizeof guard_pattern);
      ++k;
    }
    return is_lent;
  }

  // [hot] Copies the results after a call for which begin() returned true. Returns a status with overrun_code if the plugin wrote
  // outside of one; result 0 has the number `first`.
  torsor_status end(std::initializer_list<Result> results, int first) const {
    size_t k = 0;
    for (const Result& result : results) {
      const LentArray<double>& from = arrays_[k++];
      uint64_t behind;
      std::memcpy(&behind, from.data() + result.size, sizeof behind);
      if (behind != guard_pattern || from.is_damaged_before()) [[unlikely]]
        return TORSOR_STATUS(overrun_code, 2 * (first + int(k) - 1) + from.is_damaged_before());
      std::copy_n(from.data(), result.size, result.data);
    }
    return TORSOR_OK;
  }

 private:
  static constexpr size_t least = 16, most_numbers = 65536, most_functions = 24;
  static constexpr uint32_t period = 16;
  struct Count {
    const char* function = nullptr;
    uint32_t calls = 0;
  };

  bool is_checked(const char* function, const Result& first) {
    if (first.size > capacity_) return false;
    for (Count& count : counts_) {
      if (!count.function) count.function = function;
      if (count.function == function) return count.calls++ % period == 0;
    }
    return true;
  }

  size_t capacity_ = 0;
  std::array<LentArray<double>, most_results> arrays_;
  std::array<Count, most_functions> counts_{};
};

}  // namespace torsor
