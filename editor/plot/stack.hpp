#pragma once
// Values that add up, drawn as areas one on the other over time.

#include <span>

#include "editor/plot/decimate.hpp"

namespace torsor::editor {

// The samples of one of them, and what is taken off each.
struct StackPart {
  const Series* values;
  double less = 0;
};

struct StackBand {
  double time, low, high;
};

struct StackedAreas {
  // Of part k: what it has above zero is stacked upwards, on those before it, what it has below
  // zero downwards. Empty where it has none.
  std::vector<std::vector<StackBand>> above, below;  // [parts]
  std::vector<PlotPoint> sum;
  Extremes extremes;  // of the heights of the stacks, with zero
};
// Of thinned() samples.
StackedAreas stacked(std::span<const StackPart> parts, const std::vector<double>& time,
                     const SampleRange& samples, size_t most);

}  // namespace torsor::editor
