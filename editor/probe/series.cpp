#include "editor/probe/series.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::editor {

void Extremes::include(double sample) {
  if (std::isfinite(sample)) {
    low = std::min(low, sample);
    high = std::max(high, sample);
  } else if (!std::isnan(sample)) {
    (sample > 0 ? above : below) = true;
  }
}

void Extremes::include(const Extremes& others) {
  low = std::min(low, others.low);
  high = std::max(high, others.high);
  above |= others.above;
  below |= others.below;
}

void Series::push(double sample) {
  if (samples_.size() % per_block == 0) blocks_.emplace_back();
  blocks_.back().include(sample);
  samples_.push_back(sample);
}

void Series::truncate(size_t size) {
  if (size >= samples_.size()) return;
  samples_.resize(size);
  const size_t whole = size / per_block;
  blocks_.resize(whole);
  if (whole * per_block == size) return;
  blocks_.emplace_back();
  for (size_t i = whole * per_block; i < size; ++i) blocks_.back().include(samples_[i]);
}

Extremes Series::extremes(size_t begin, size_t end) const {
  Extremes found;
  while (begin < end) {
    if (begin % per_block == 0 && begin + per_block <= end) {
      found.include(blocks_[begin / per_block]);
      begin += per_block;
    } else {
      found.include(samples_[begin++]);
    }
  }
  return found;
}

}  // namespace torsor::editor
