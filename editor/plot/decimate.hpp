#pragma once
// Reduces curves with many samples to few points.

#include <cstddef>
#include <vector>

#include "editor/plot/axis.hpp"

namespace torsor::editor {

struct PlotPoint {
  double time, value;
};

// The points of a curve to draw. The line breaks at points whose value is NaN.
struct PlotLine {
  std::vector<PlotPoint> points;    // ascending in time
  std::vector<PlotPoint> infinite;  // samples of +inf and -inf
};

// A range of samples: [begin, end).
struct SampleRange {
  size_t begin, end;
};
// Returns the samples that are needed to draw a range of time: the samples in the range and one on
// each side.
SampleRange samples_in(const std::vector<double>& time, const Range& range);

// Returns the indices of every 2^s-th sample and of the first and the last sample. s is the
// smallest exponent that selects about `most` samples or fewer. Indices between the first and the
// last one are multiples of 2^s, so they do not shift while the run grows.
std::vector<size_t> thinned(const SampleRange& samples, size_t most);

// The samples of a time range, divided into columns of equal duration. All curves of a signal share
// the columns.
struct TimeColumns {
  SampleRange samples;
  // Column k has the samples [edges[k], edges[k + 1]). Empty if there are at most two samples per
  // column.
  std::vector<size_t> edges;
};
TimeColumns time_columns(const std::vector<double>& time, const Range& range, int columns);

// Returns all samples of the range if `edges` is empty. Otherwise returns the minimum and the
// maximum of each column. If a column is a pixel wide, the curve looks the same.
PlotLine decimate(const TimeColumns& columns, const std::vector<double>& time,
                  const Series& values);

}  // namespace torsor::editor
