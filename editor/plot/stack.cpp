#include "editor/plot/stack.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::editor {

namespace {

void drop_flat(std::vector<StackBand>& bands) {
  if (std::ranges::all_of(bands, [](const StackBand& band) { return band.low == band.high; }))
    bands.clear();
}

}  // namespace

StackedAreas stacked(std::span<const StackPart> parts, const std::vector<double>& time,
                     const SampleRange& samples, size_t most) {
  StackedAreas out;
  out.above.resize(parts.size());
  out.below.resize(parts.size());
  out.extremes.include(0);
  for (const size_t i : thinned(samples, most)) {
    double top = 0, bottom = 0;
    for (size_t k = 0; k < parts.size(); ++k) {
      const double value = (*parts[k].values)[i] - parts[k].less;
      const double higher = top + std::max(value, 0.0), lower = bottom + std::min(value, 0.0);
      out.above[k].push_back({time[i], top, higher});
      out.below[k].push_back({time[i], lower, bottom});
      top = higher;
      bottom = lower;
    }
    out.sum.push_back({time[i], top + bottom});
    out.extremes.include(top);
    out.extremes.include(bottom);
  }
  for (auto* side : {&out.above, &out.below}) std::ranges::for_each(*side, drop_flat);
  return out;
}

}  // namespace torsor::editor
