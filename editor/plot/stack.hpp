#pragma once
// Computes stacked areas over time, for values with a meaningful sum.

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
  // negative values, stacked downwards. The list of a part without such values is empty.
  std::vector<std::vector<StackBand>> above, below;  // [parts]
  std::vector<PlotPoint> sum;
  Extremes extremes;  // extremes of the ends of the stacks; includes zero
};
// Returns the stacked areas of at most about `most` samples, selected by thinned().
StackedAreas stacked(std::span<const StackPart> parts, const std::vector<double>& time,
                     const SampleRange& samples, size_t most);

}  // namespace torsor::editor
