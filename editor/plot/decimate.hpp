#pragma once
// Curves of many samples drawn with few points.

#include <cstddef>
#include <vector>

#include "editor/plot/axis.hpp"

namespace torsor::editor {

struct PlotPoint {
  double time, value;
};

// What is to be drawn of a curve. The line breaks at points whose value is not a number.
struct PlotLine {
  std::vector<PlotPoint> points;    // ascending in time
  std::vector<PlotPoint> infinite;  // samples of +inf and -inf
};

// Samples [begin, end) that are needed to draw a range of time: those in it and one on either side.
struct SampleRange {
  size_t begin, end;
};
SampleRange samples_in(const std::vector<double>& time, const Range& range);

// Every 2^s-th sample of these, such that they are about so many at most, with the first and the
// last: as a run grows, those that are taken stay the same.
std::vector<size_t> thinned(const SampleRange& samples, size_t most);

// Where the samples of a range of time lie in so many columns of equal width, the same for all
// curves of a signal.
struct TimeColumns {
  SampleRange samples;
  std::vector<size_t>
      edges;  // column k is of samples [edges[k], edges[k + 1]); none where there are few samples
};
TimeColumns time_columns(const std::vector<double>& time, const Range& range, int columns);

// All samples of the range where they are few; otherwise the extremes in each column: on the screen
// that is the same.
PlotLine decimate(const TimeColumns& columns, const std::vector<double>& time,
                  const Series& values);

}  // namespace torsor::editor
