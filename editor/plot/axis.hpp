#pragma once
// One axis of a plot: the range it shows, where a value lies on the screen, and its ticks.

#include <string>
#include <vector>

#include "editor/session/series.hpp"

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

// A range that doubles can tell points of: wider where it is too narrow, narrower where it is too
// wide, in order.
Range usable(Range range);
// The value at stays where it is; factor < 1 shows less.
Range zoomed(const Range& range, double at, double factor);
Range moved(const Range& range, double by);
// Around what is to be seen, with some room; around a constant, or nothing at all, as well.
Range fitted(const Extremes& extremes);

struct Ticks {
  double step = 1;               // 1, 2 or 5 times a power of ten
  std::vector<double> values{};  // ascending, multiples of step
  bool powers = false;           // values are exponents of ten
  // Of one of values: as many digits as it takes to tell them apart.
  std::string label(double value) const;
};
// All multiples within the range of the least step that gives at most so many, at least 2.
Ticks ticks(const Range& range, int most);
// The same on an axis of exponents of ten: whole ones alone.
Ticks power_ticks(const Range& range, int most);

}  // namespace torsor::editor
