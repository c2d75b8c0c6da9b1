#pragma once
// How cost grows with the number of bodies, over the generated robots.

#include "bench/measure.hpp"

namespace torsor::bench {

// bodies: below, what does not grow counts too much.
inline constexpr int growth_from = 10, growth_to = 200;

struct Growth {
  Family family;
  Work work;
  std::string name;  // of the column; total times
  double exponent;   // p of time ~ bodies^p, by least squares in the logarithms
  int from, to;      // bodies of the smallest and the largest robot in the fit
};

// Where at least three sizes in that range were measured.
std::vector<Growth> growth(const std::vector<Result>& results);

}  // namespace torsor::bench
