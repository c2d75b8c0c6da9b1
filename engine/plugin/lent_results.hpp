#pragma once
// Guarded memory for the results of a solver's calls. The caller's memory for results has no guard
// words. Therefore, in some calls, the plugin writes to guarded memory, and the host copies the
// results to the caller.

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "torsor/plugin/lent_array.hpp"

namespace torsor {

class LentResults {
 public:
  struct Result {
    const char* name;  // name of the parameter in ext/
    double* data;      // [size]
    size_t size;
  };
  static constexpr size_t most_results = 5;
  using Pointers = std::array<double*, most_results>;  // memory that the plugin writes

  LentResults() = default;
  // Allocates guarded memory for the results of a model with n dof. Vectors [n] always fit. Larger
  // results fit up to half a megabyte each.
  explicit LentResults(size_t n)
      : capacity_(std::max({least, 8 * n, std::min(n * n * n, most_numbers)})) {
    for (LentArray<double>& array : arrays_) array = LentArray<double>(capacity_ + 1);
  }

  // [hot] Returns whether to use guarded memory for this call of a function: for the first and
  // every 16th call of each function. Copying the results of every call would take 3 % of the time
  // of inverse dynamics of a small robot.
  bool is_due(const char* function, size_t size) {
    if (!fits(size)) return false;
    for (Count& count : counts_) {
      if (!count.function) count.function = function;
      if (count.function == function) return count.calls++ % period == 0;
    }
    return true;
  }
  bool fits(size_t size) const { return size <= capacity_; }

  // Sets the pointers for a call: to guarded memory if is_lent is true, otherwise to the memory of
  // the caller.
  void begin(std::span<const Result> results, bool is_lent, Pointers& pointers) {
    size_t k = 0;
    for (const Result& result : results) {
      pointers[k] = is_lent ? arrays_[k].data() : result.data;
      if (is_lent) std::memcpy(pointers[k] + result.size, &guard_pattern, sizeof guard_pattern);
      ++k;
    }
  }

  // [hot] Copies the results from guarded memory to the caller. Call it after a call with is_lent =
  // true. Returns a status with overrun_code if the plugin wrote outside of a result. `first` is
  // the index of results[0] in overrun_text().
  torsor_status end(std::span<const Result> results, int first) const {
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

  size_t capacity_ = 0;
  std::array<LentArray<double>, most_results> arrays_;
  std::array<Count, most_functions> counts_{};
};

}  // namespace torsor
