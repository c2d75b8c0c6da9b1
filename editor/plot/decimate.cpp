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

// Adds the extremes of a column of samples, at the times of its first and last sample. The extreme
// that is nearer to the previous point comes first, so that a smooth curve stays smooth.
void add(PlotLine& line, double first, double last, const Extremes& column) {
  if (column.above) line.infinite.push_back({first, infinity});
  if (column.below) line.infinite.push_back({first, -infinity});
  if (!column.any_finite()) return add(line, first, nan);
  const double before = line.points.empty() ? column.low : line.points.back().value;
  const bool down = std::abs(before - column.high) < std::abs(before - column.low);
  line.points.push_back({first, down ? column.high : column.low});
  if (first < last) line.points.push_back({last, down ? column.low : column.high});
}

}  // namespace

SampleRange samples_in(const std::vector<double>& time, const Range& range) {
  const auto first = std::lower_bound(time.begin(), time.end(), range.low);
  const auto last = std::upper_bound(first, time.end(), range.high);
  return {size_t(first - time.begin()) - (first != time.begin()),
          size_t(last - time.begin()) + (last != time.end())};
}

std::vector<size_t> thinned(const SampleRange& samples, size_t most) {
  const auto [begin, end] = samples;
  std::vector<size_t> taken;
  if (begin == end) return taken;
  size_t stride = 1;
  while ((end - begin) / stride > most) stride *= 2;
  taken.push_back(begin);
  for (size_t i = (begin / stride + 1) * stride; i + 1 < end; i += stride) taken.push_back(i);
  if (end - begin > 1) taken.push_back(end - 1);
  return taken;
}

TimeColumns time_columns(const std::vector<double>& time, const Range& range, int columns) {
  TimeColumns found{samples_in(time, range), {}};
  const auto [begin, end] = found.samples;
  if (end - begin <= 2 * size_t(std::max(columns, 1))) return found;
  const auto last = time.begin() + long(end);
  auto edge = std::lower_bound(time.begin() + long(begin), last, range.low);
  for (int k = 1; k <= columns; ++k) {
    found.edges.push_back(size_t(edge - time.begin()));
    edge = k < columns ? std::lower_bound(edge, last, range.low + range.width() * k / columns)
                       : std::upper_bound(edge, last, range.high);
  }
  found.edges.push_back(size_t(edge - time.begin()));
  return found;
}

PlotLine decimate(const TimeColumns& columns, const std::vector<double>& time,
                  const Series& values) {
  PlotLine line;
  const auto [begin, end] = columns.samples;
  const auto add_all = [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) add(line, time[i], values[i]);
  };
  if (columns.edges.empty()) {
    add_all(begin, end);
    return line;
  }
  // Add the samples just outside of the range, so that the line enters and leaves the plot
  // correctly.
  const std::vector<size_t>& edges = columns.edges;
  add_all(begin, edges.front());
  for (size_t k = 0; k + 1 < edges.size(); ++k)
    if (edges[k] < edges[k + 1])
      add(line, time[edges[k]], time[edges[k + 1] - 1], values.extremes(edges[k], edges[k + 1]));
  add_all(edges.back(), end);
  return line;
}

}  // namespace torsor::editor
