#pragma once
// A column of samples that grows at its end and knows the extremes of any part of it without
// looking at every sample.

#include <cstddef>
#include <limits>
#include <vector>

namespace torsor::editor {

struct Extremes {
  // Of the finite samples; low > high where there is none.
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool above = false, below = false;  // there are samples of +inf, of -inf

  bool any_finite() const { return low <= high; }
  void include(double sample);  // what is not a number is left out
  void include(const Extremes& others);
};

class Series {
 public:
  size_t size() const { return samples_.size(); }
  double operator[](size_t i) const { return samples_[i]; }

  void push(double sample);
  void truncate(size_t size);
  // Of [begin, end), which lies within the series.
  Extremes extremes(size_t begin, size_t end) const;

 private:
  static constexpr size_t per_block = 32;
  std::vector<double> samples_;
  std::vector<Extremes> blocks_;  // of each per_block samples, of those that there are in the last
};

}  // namespace torsor::editor
