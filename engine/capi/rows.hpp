#pragma once
// States of the caller, one per row, and those of a batch, one per column.

#include <algorithm>
#include <limits>
#include <span>

#include "torsor/capi/boundary.hpp"

namespace torsor::capi {

// Copies n rows [size] with a stride to columns [size][to_stride].
inline void to_columns(const double* from, size_t stride, size_t n, size_t size, double* to,
                       size_t to_stride) {
  for (size_t i = 0; i < size; ++i)
    for (size_t k = 0; k < n; ++k) to[i * to_stride + k] = from[k * stride + i];
}
// Copies columns [size][from_stride] to n rows with a stride.
inline void to_rows(const double* from, size_t from_stride, size_t n, size_t size, double* to,
                    size_t stride) {
  constexpr size_t line = 8;  // numbers in a cache line
  for (size_t begin = 0; begin < n; begin += line)
    for (size_t i = 0; i < size; ++i)
      for (size_t k = begin; k < std::min(begin + line, n); ++k)
        to[k * stride + i] = from[i * from_stride + k];
}

// Returns whether all numbers are finite. x - x is 0 for these, and NaN for the others.
inline bool are_finite(std::span<const double> x) {
  double sum = 0;
  for (const double number : x) sum += number - number;
  return sum == 0;
}

inline void fill_nan(double* to, size_t n) {
  std::fill_n(to, n, std::numeric_limits<double>::quiet_NaN());
}

// Returns a * b. Throws Error if this many numbers exceed the memory of every machine. name: what
// has this size, in the message.
inline size_t checked_size(size_t a, size_t b, const char* name) {
  constexpr size_t most = std::numeric_limits<ptrdiff_t>::max() / sizeof(double);
  if (b > 0 && a > most / b)
    throw Error(fmt::format("{}: {} x {} numbers exceed the memory of every machine", name, a, b));
  return a * b;
}

// Returns the stride of n rows [size]: the given one, or `size` if it is 0. Throws Error if it is
// less than `size`, or if the rows exceed the memory of every machine.
inline size_t checked_stride(size_t given, size_t size, size_t n, const char* name) {
  if (given != 0 && given < size)
    throw Error(fmt::format("{}: it is {}, less than the {} numbers of a row", name, given, size));
  const size_t out = given == 0 ? size : given;
  checked_size(n, out, name);
  return out;
}

// The states or motions that failed, for one message.
struct Failures {
  size_t count = 0, first = 0;
  std::string reason = {};
  void add(size_t more, size_t index, std::string why) {
    if (count == 0 || index < first) first = index, reason = std::move(why);
    count += more;
  }
};

}  // namespace torsor::capi
