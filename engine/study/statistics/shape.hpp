#pragma once
// Histograms, and bands of an outcome over a parameter, for pictures.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace torsor {

// The numbers of values in intervals of equal width from `from` on.
struct Histogram {
  double from = 0, width = 0;
  std::vector<uint64_t> counts;
};
// Returns the histogram of the finite values. The number of intervals grows with the cube root of
// the number of values. It is one if all values are equal, and zero if there are none.
Histogram histogram(std::span<const double> values);

// The quantiles of an outcome for values of a parameter near x.
struct Band {
  double x;
  std::array<double, 5> quantiles;  // 5 %, 25 %, 50 %, 75 %, 95 %
};
// Returns bands in ascending order of x: the median parameter of groups with equal numbers of
// samples, at least 40. Samples with a value that is not finite are left out. A parameter with few
// different values has one band for each of them. Returns an empty list if there are fewer than
// two bands.
std::vector<Band> bands(std::span<const double> parameter, std::span<const double> outcome);

}  // namespace torsor
