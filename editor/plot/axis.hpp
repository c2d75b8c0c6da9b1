#pragma once
// One axis of a plot: its visible range, the pixels of values, and its ticks.

#include <string>
#include <vector>

#include "editor/probe/series.hpp"

namespace torsor::editor {

struct Range {
  double low = 0, high = 1;
  double width() const { return high - low; }
  bool operator==(const Range&) const = default;
};

struct Axis {
  Range range;
  float begin = 0, end = 1;  // pixels of range.low and range.high

  float pixel(double value) const;
  double value(float pixel) const;
};

// Returns a range whose points doubles can represent. Swaps the ends if low > high. Widens a range
// that is too narrow, and limits one that is too wide.
Range usable(Range range);
// Returns a range scaled about the value `at`, whose position on the axis does not change. A factor
// below 1 zooms in.
Range zoomed(const Range& range, double at, double factor);
Range moved(const Range& range, double by);
// Returns a range that shows the extremes with a margin. Returns a range around the value of a
// constant, and 0 to 1 if there are no values.
Range fitted(const Extremes& extremes);

struct Ticks {
  double step = 1;                   // 1, 2 or 5 times a power of ten
  std::vector<double> values{};      // ascending, multiples of step
  bool powers = false;               // true: values are exponents of ten
  std::vector<std::string> names{};  // labels of the values 0, 1, ..; empty: numbers
  // Returns the label of one of the values, with enough digits to distinguish all values.
  std::string label(double value) const;
};
// Returns all multiples of a step in the range. The step is the smallest that gives at most `most`
// ticks. A `most` below 2 is replaced with 2.
Ticks ticks(const Range& range, int most);
// Returns ticks at the integers in the range that have a name.
Ticks named_ticks(const Range& range, std::vector<std::string> names);
// Returns ticks for a logarithmic axis. range is in exponents of ten. The ticks are at integer
// exponents.
Ticks power_ticks(const Range& range, int most);

}  // namespace torsor::editor
