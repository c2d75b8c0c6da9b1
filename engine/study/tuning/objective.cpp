#include "torsor/study/tuning/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/study/sampling/number_text.hpp"
#include "torsor/study/statistics/summary.hpp"

namespace torsor {

namespace {

Statistic quantile_statistic(double p) {
  return [p](std::span<const double> values) {
    std::vector<double> ascending(values.begin(), values.end());
    std::ranges::sort(ascending);
    return quantile(ascending, p);
  };
}

}  // namespace

Statistic objective_statistic(const std::string& name, bool maximise) {
  if (name == "mean") return [](std::span<const double> values) { return moments(values).mean; };
  if (name == "median") return quantile_statistic(0.5);
  if (name == "worst") return quantile_statistic(maximise ? 0 : 1);
  if (name.starts_with('q')) {
    const auto percent = number_of(name.substr(1));
    if (percent && *percent > 0 && *percent < 100) return quantile_statistic(*percent / 100);
  }
  throw Error(fmt::format(
      "there is no statistic '{}'; use mean, median, worst, or a quantile such as q95{}",
      quotable(name), did_you_mean(name, {"mean", "median", "worst"})));
}

}  // namespace torsor
