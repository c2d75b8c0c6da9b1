#pragma once
// The exponent of the growth of cost with the number of bodies, for the generated robots.

#include <map>

#include "bench/measure.hpp"

namespace torsor::bench {

// Smallest and largest number of bodies in the fit. Constant costs dominate for smaller robots.
inline constexpr int growth_from = 10, growth_to = 500;

struct Growth {
  Family family;
  Work work;
  std::string name;  // name of the column; its total times are fitted
  double exponent;   // p in time ~ bodies^p, by least squares of the logarithms
  int from, to;      // bodies of the smallest and the largest robot in the fit
};

// Returns the slope of the least-squares line through the points (log n, log time).
double growth_exponent(const std::map<int, double>& times);

// Returns the growth of each column that was measured for at least three sizes in the range.
std::vector<Growth> growth(const std::vector<Result>& results);

}  // namespace torsor::bench
