#pragma once
// Growth of the cost with the number of bodies, over the generated robots.

#include "bench/measure.hpp"

namespace torsor::bench {

// Range of the number of bodies. For smaller robots, constant costs would count too much.
inline constexpr int growth_from = 10, growth_to = 200;

struct Growth {
  Family family;
  Work work;
  std::string name;  // name of the column; total times
  double exponent;   // p of time ~ bodies^p, by least squares in the logarithms
  int from, to;      // bodies of the smallest and the largest robot in the fit
};

// Returns the growth of each column with at least three sizes in that range.
std::vector<Growth> growth(const std::vector<Result>& results);

}  // namespace torsor::bench
