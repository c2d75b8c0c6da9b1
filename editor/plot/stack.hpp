#pragma once
// Stacked areas over time, for values that add up.

#include <span>

#include "editor/plot/decimate.hpp"

namespace torsor::editor {

// The samples of one part, and an offset that is subtracted from each sample.
struct StackPart {
  const Series* values;
  double less = 0;
};

struct StackBand {
  double time, low, high;
};

struct StackedAreas {
  // Bands of each part. above: positive values, stacked upwards on the preceding parts. below:
  // negative values, stacked downwards. A list is empty if its part has no such values.
  std::vector<std::vector<StackBand>> above, below;  // [parts]
  std::vector<PlotPoint> sum;
  Extremes extremes;  // of the heights of the stacks, including zero
};
// Returns the stacked areas of thinned() samples.
StackedAreas stacked(std::span<const StackPart> parts, const std::vector<double>& time,
                     const SampleRange& samples, size_t most);

}  // namespace torsor::editor
