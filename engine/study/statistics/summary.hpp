#pragma once
// Statistics of the outcomes of a study: quantiles, failure rates and correlations.

#include <cstdint>
#include <span>
#include <vector>

namespace torsor {

struct Interval {
  double from, to;
};

// Returns the quantile p in [0, 1] of ascending values, at least one. It is linear between the
// values: with n values x_1 .. x_n and h = (n - 1) p,
//   x_(floor h + 1) + (h - floor h) (x_(floor h + 2) - x_(floor h + 1))
// (Hyndman and Fan, "Sample quantiles in statistical packages", 1996, definition 7).
double quantile(std::span<const double> ascending, double p);

struct Moments {
  uint64_t count = 0;
  double mean = 0;
  double deviation = 0;  // standard deviation with the divisor n - 1; NaN for one value
};
Moments moments(std::span<const double> values);

// Returns Wilson's interval, which contains a probability with a confidence of 95 %, if an event
// occurred in `events` of `trials` independent trials, trials > 0. With p = events / trials and
// z = 1.96,
//   (p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)
Interval wilson_interval(uint64_t events, uint64_t trials);

// Returns Pearson's correlation of two lists of equal length. NaN if one of them is constant, or if
// there are fewer than two values.
double correlation(std::span<const double> x, std::span<const double> y);
// Returns Spearman's correlation, that of the ranks. Equal values have their mean rank.
double rank_correlation(std::span<const double> x, std::span<const double> y);

}  // namespace torsor
