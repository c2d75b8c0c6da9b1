#include "torsor/study/statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace torsor {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Returns the rank of each value, from 1. Equal values have their mean rank.
std::vector<double> ranks(std::span<const double> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t i) { return x[i]; });
  std::vector<double> out(x.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && x[order[end]] == x[order[first]]) ++end;
    for (size_t k = first; k < end; ++k) out[order[k]] = double(first + 1 + end) / 2;
  }
  return out;
}

}  // namespace

double quantile(std::span<const double> ascending, double p) {
  const double h = double(ascending.size() - 1) * p;
  const size_t below = size_t(h), above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (h - double(below)) * (ascending[above] - ascending[below]);
}

// Sums the squares of the differences from the mean, not the squares themselves, whose difference
// would lose digits.
Moments moments(std::span<const double> values) {
  const double n = double(values.size());
  if (values.empty()) return {0, nan, nan};
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (const double x : values) sum += (x - mean) * (x - mean);
  return {values.size(), mean, values.size() > 1 ? std::sqrt(sum / (n - 1)) : nan};
}

Interval wilson_interval(uint64_t events, uint64_t trials) {
  constexpr double z = 1.959963984540054;
  const double n = double(trials), p = double(events) / n, middle = p + z * z / (2 * n),
               half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)), scale = 1 + z * z / n;
  // Without an event, or without its absence, one end is 0 or 1 without rounding errors.
  return {events == 0 ? 0 : (middle - half) / scale,
          events == trials ? 1 : (middle + half) / scale};
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const double mean_x = moments(x).mean, mean_y = moments(y).mean;
  double xy = 0, xx = 0, yy = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const double dx = x[k] - mean_x, dy = y[k] - mean_y;
    xy += dx * dy, xx += dx * dx, yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0) : nan;
}

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  return correlation(ranks(x), ranks(y));
}

}  // namespace torsor
