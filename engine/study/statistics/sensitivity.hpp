#pragma once
// Sobol's sensitivity indices: the parts of the variance of an outcome that its parameters cause.
//
// The first-order index of parameter i is the part that is explained by it alone, and the total
// index the part that would remain if all other parameters were known:
//   S_i = Var(E(f | x_i)) / Var(f),   T_i = E(Var(f | all but x_i)) / Var(f)
// The design `saltelli` (sampling/saltelli.hpp) evaluates f at pairs of independent points A and B,
// and at the points A_i, which are A with the value of parameter i from B. With N pairs,
//   S_i = 1/N sum f(B) (f(A_i) - f(A)) / V
//   T_i = 1/(2N) sum (f(A) - f(A_i))^2 / V
// (Saltelli, Annoni, Azzini, Campolongo, Ratto and Tarantola, "Variance based sensitivity analysis
// of model output", 2010, table 2, b and f). V is the variance of all f(A) and f(B). f is taken
// relative to its mean, which reduces the error of S_i.

#include <cstdint>
#include <span>
#include <vector>

#include "torsor/study/statistics/summary.hpp"

namespace torsor {

struct SensitivityIndex {
  double first, total;
  // Contain the indices with a confidence of 95 % (percentiles of bootstrap samples of the pairs).
  Interval first_interval, total_interval;
};

// Returns the indices of each axis. values: [N (axes + 2)] of outcomes in the order of the design:
// A, A_1 .. A_axes, B of each pair. Pairs with a value that is not finite are left out; `used`
// receives the number of the others. Returns an empty list if fewer than two pairs are left or the
// outcome is constant. The bootstrap samples depend on the values alone, so that results are
// reproducible.
std::vector<SensitivityIndex> sensitivity_indices(std::span<const double> values, size_t axes,
                                                  uint64_t& used);

}  // namespace torsor
