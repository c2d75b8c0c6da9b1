#pragma once
// Tools for constraint solvers: the bounds and rates of a row, and the residual of a result.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor::sdk {

// A bound of lambda beyond this size is no bound. Plugins may be compiled for finite numbers only,
// so that a comparison with infinity is not reliable.
inline constexpr double unbounded = 1e300;

// The host rejects results with a larger residual.
inline constexpr double largest_residual = 1e-6;

// The rate w of a row, and the size of the terms whose sum it is.
struct RowRate {
  double w, terms;
};
inline RowRate row_rate(const torsor_constraint_problem& problem, int row, const double* lambda) {
  const size_t n = size_t(problem.n);
  const double* G = problem.G + n * size_t(row);
  RowRate out{problem.c[row], problem.c_terms[row]};
  for (size_t j = 0; j < n; ++j) {
    const double term = G[j] * lambda[j];
    out.w += term;
    out.terms += std::abs(term);
  }
  return out;
}

inline double clamped(const torsor_constraint_problem& problem, int row, double lambda) {
  return std::min(std::max(lambda, problem.lower[row]), problem.upper[row]);
}

// Returns the multiplier of a row that no multiplier moves (G_ii = 0): the bound that satisfies the
// conditions, or the value within the bounds that is nearest to 0 if this bound is infinite.
inline double unmoved_multiplier(const torsor_constraint_problem& problem, int row) {
  const double bound = problem.c[row] > 0   ? problem.lower[row]
                       : problem.c[row] < 0 ? problem.upper[row]
                                            : 0;
  return clamped(problem, row, std::abs(bound) < unbounded ? bound : 0);
}

// Accumulates the residual of torsor_constraint_result row by row.
class Residual {
 public:
  void add(const torsor_constraint_problem& problem, int row, double lambda, const RowRate& rate) {
    const double g = problem.G[(size_t(problem.n) + 1) * size_t(row)];
    if (!(g > 0)) return;
    const double root = std::sqrt(g);
    const double off = std::abs(lambda - clamped(problem, row, lambda - rate.w / g));
    violation_ = std::max(violation_, root * off);
    size_ = std::max(size_, (std::abs(rate.w - problem.c[row]) + problem.c_terms[row]) / root);
  }
  double value() const { return size_ > 0 ? violation_ / size_ : 0; }
  // The denominator of the residual.
  double size() const { return size_; }

 private:
  double violation_ = 0, size_ = 0;
};

// Evaluates the residual of multipliers lambda [n].
inline Residual evaluate_residual(const torsor_constraint_problem& problem, const double* lambda) {
  Residual out;
  for (int row = 0; row < problem.n; ++row)
    out.add(problem, row, lambda[row], row_rate(problem, row, lambda));
  return out;
}
inline double residual_of(const torsor_constraint_problem& problem, const double* lambda) {
  return evaluate_residual(problem, lambda).value();
}

}  // namespace torsor::sdk
