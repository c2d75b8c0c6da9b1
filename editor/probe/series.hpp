#pragma once
// A series of samples that can grow. It finds the extremes of any range quickly, because it stores
// the extremes of blocks of samples.

#include <cstddef>
#include <limits>
#include <vector>

namespace torsor::editor {

struct Extremes {
  // Extremes of the finite samples; low > high if there are none.
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool above = false, below = false;  // true if there are samples of +inf (above) or -inf (below)

  bool any_finite() const { return low <= high; }
  void include(double sample);  // ignores NaN
  void include(const Extremes& others);
};

class Series {
 public:
  size_t size() const { return samples_.size(); }
  double operator[](size_t i) const { return samples_[i]; }

  void push(double sample);
  void truncate(size_t size);
  // Returns the extremes of [begin, end), which must lie within the series.
  Extremes extremes(size_t begin, size_t end) const;

 private:
  static constexpr size_t per_block = 32;
  std::vector<double> samples_;
  // Extremes of each block of per_block samples. The last block may be incomplete.
  std::vector<Extremes> blocks_;
};

}  // namespace torsor::editor
