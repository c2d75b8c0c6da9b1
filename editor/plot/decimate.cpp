#include "editor/plot/decimate.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::editor {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

void add(PlotLine& line, double time, double value) {
  const bool finite = std::isfinite(value);
  if (std::isinf(value)) line.infinite.push_back({time, value});
  if (finite || (!line.points.empty() && std::isfinite(line.points.back().value)))
    line.points.push_back({time, finite ? value : nan});
}

// The extremes of a column, the one nearer to the line so far first.
void add(PlotLine& line, double time, const Extremes& column) {
  if (column.above) line.infinite.push_back({time, infinity});
  if (column.below) line.infinite.push_back({time, -infinity});
  if (!column.any_finite()) return add(line, time, nan);
  const double last = line.points.empty() ? column.low : line.points.back().value;
  const bool down = std::abs(last - column.high) < std::abs(last - column.low);
  line.points.push_back({time, down ? column.high : column.low});
  if (column.low < column.high) line.points.push_back({time, down ? column.low : column.high});
}

}  // namespace

SampleRange samples_in(const std::vector<double>& time, const Range& range) {
  const auto first = std::lower_bound(time.begin(), time.end(), range.low);
  const auto last = std::upper_bound(first, time.end(), range.high);
  return {size_t(first - time.begin()) - (first != time.begin()),
          size_t(last - time.begin()) + (last != time.end())};
}

PlotLine decimate(const std::vector<double>& time, const Series& values, const Range& range, int columns) {
  PlotLine line;
  const auto [begin, end] = samples_in(time, range);
  if (end - begin <= 2 * size_t(std::max(columns, 1))) {
    for (size_t i = begin; i < end; ++i) add(line, time[i], values[i]);
    return line;
  }
  // The samples outside stay points: the line enters and leaves the plot where it should.
  size_t i = begin;
  while (i < end && time[i] < range.low) add(line, time[i], values[i]), ++i;
  for (int k = 0; k < columns && i < end; ++k) {
    const double edge = range.low + range.width() * (k + 1) / columns;
    const size_t next =
        k + 1 == columns
            ? size_t(std::upper_bound(time.begin() + long(i), time.begin() + long(end), range.high) -
                     time.begin())
            : size_t(std::lower_bound(time.begin() + long(i), time.begin() + long(end), edge) - time.begin());
    if (next > i) add(line, range.low + range.width() * (k + 0.5) / columns, values.extremes(i, next));
    i = next;
  }
  for (; i < end; ++i) add(line, time[i], values[i]);
  return line;
}

}  // namespace torsor::editor
