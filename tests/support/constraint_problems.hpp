#pragma once
// Random problems for constraint solvers.

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/sdk/ext/constraint_solver.h"

namespace torsor::test {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct RandomProblem {
  RowMatrix G;  // [n x n]
  RowMatrix X;  // G = X X^T, of contacts only
  Eigen::VectorXd c, c_terms, lower, upper;
  std::vector<torsor_friction> frictions;

  torsor_constraint_problem view() const {
    torsor_constraint_problem out{};
    out.struct_size = sizeof out;
    out.n = int32_t(c.size());
    out.G = G.data();
    out.c = c.data(), out.c_terms = c_terms.data();
    out.lower = lower.data(), out.upper = upper.data();
    out.frictions = frictions.data();
    out.n_frictions = int32_t(frictions.size());
    return out;
  }
  Eigen::VectorXd rates(const Eigen::VectorXd& lambda) const { return G * lambda + c; }
};

struct ProblemShape {
  int n = 0, rank = 0;     // rank <= n of G
  double spread = 1;       // units of the rows differ by up to this factor
  bool has_bounds = true;  // false: all rows are free
  bool agrees = true;      // c is in the range of G, so that the free rows do not contradict
};

// Returns G = S J J^T S with a random J [n x rank] and a random diagonal S.
inline RandomProblem random_problem(Random& random, const ProblemShape& shape) {
  const Eigen::Index n = shape.n;
  RowMatrix J(n, shape.rank);
  for (double& x : J.reshaped()) x = random.uniform(-1, 1);
  for (Eigen::Index i = 0; i < n; ++i)
    J.row(i) *= std::pow(shape.spread, random.uniform(-0.5, 0.5)) / J.row(i).norm();
  RandomProblem out;
  out.G = J * J.transpose();
  Eigen::VectorXd y(shape.agrees ? shape.rank : n);
  for (double& x : y) x = random.uniform(-10, 10);
  out.c = shape.agrees ? Eigen::VectorXd(J * y) : y;
  out.c_terms =
      shape.agrees ? Eigen::VectorXd(J.cwiseAbs() * y.cwiseAbs()) : Eigen::VectorXd(y.cwiseAbs());
  out.lower.resize(n);
  out.upper.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double most = random.uniform(0, 8) / std::sqrt(out.G(i, i));
    const double bounds[][2] = {{-HUGE_VAL, HUGE_VAL}, {0, HUGE_VAL},       {-HUGE_VAL, 0},
                                {-most, most},         {-most, 0.5 * most}, {most, most}};
    const int k = shape.has_bounds ? random.below(6) : 0;
    out.lower[i] = bounds[k][0], out.upper[i] = bounds[k][1];
  }
  return out;
}

// Returns the largest violation of the conditions, in the units of rows with G_ii = 1, relative to
// the largest |G lambda| + c_terms of a row.
inline double violation(const RandomProblem& p, const Eigen::VectorXd& lambda) {
  const Eigen::VectorXd w = p.rates(lambda);
  double most = 0, size = 0;
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    const double root = std::sqrt(p.G(i, i));
    if (root == 0) continue;
    if (!(lambda[i] >= p.lower[i] && lambda[i] <= p.upper[i])) return HUGE_VAL;
    size = std::max(size, (std::abs(p.G.row(i).dot(lambda)) + p.c_terms[i]) / root);
    // The distance to a bound and the wrong rate there: the smaller one counts.
    const double above = root * (lambda[i] - p.lower[i]), below = root * (p.upper[i] - lambda[i]);
    if (w[i] > 0) most = std::max(most, std::min(w[i] / root, above));
    if (w[i] < 0) most = std::max(most, std::min(-w[i] / root, below));
  }
  return size > 0 ? most / size : 0;
}

}  // namespace torsor::test
