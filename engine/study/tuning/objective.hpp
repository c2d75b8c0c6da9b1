#pragma once
// Statistics that reduce the outcomes of the samples of a point to its objective.

#include <functional>
#include <span>
#include <string>

namespace torsor {

using Statistic = std::function<double(std::span<const double> values)>;

// Returns a statistic of one or more finite values:
//   mean
//   median
//   worst  the largest value, or the smallest one if the outcome is maximised
//   qP     the quantile of P %, 0 < P < 100, such as q95 (statistics/summary.hpp)
// Throws Error for other names.
Statistic objective_statistic(const std::string& name, bool maximise);

}  // namespace torsor
