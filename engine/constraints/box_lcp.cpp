#include "torsor/constraints/box_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "torsor/sdk/constraint_view.hpp"
#include "torsor/constraints/independent_rows.hpp"

namespace torsor {

namespace {

// Returns a bound of the rounding error of a sum of n products, relative to the sum of their
// absolute values.
double rounding_of(Eigen::Index n) {
  return 64 * std::numeric_limits<double>::epsilon() * double(n);
}

}  // namespace

void factor(Eigen::MatrixXd& G, Eigen::LDLT<Eigen::MatrixXd>& out) {
  const double rounding = rounding_of(G.rows());
  out.compute(G);
  if (out.vectorD().minCoeff() > rounding * out.vectorD().maxCoeff()) return;
  G.diagonal() *= 1 + rounding;
  out.compute(G);
}

namespace {

// Solves G x = b for a positive semidefinite G. If loops are not quite closed, rows that are
// redundant in closed ones contradict each other slightly. No x meets them then, and a factor of G
// would give forces without bound: these rows share their forces with the least norm.
Eigen::VectorXd solve_semidefinite(const Eigen::MatrixXd& G, const Eigen::VectorXd& b) {
  constexpr double least_part = 1e-6;  // of a row that does not depend on others
  const Eigen::LDLT<Eigen::MatrixXd> factor(G);
  const auto D = factor.vectorD();
  if (D.minCoeff() > least_part * least_part * D.maxCoeff()) return factor.solve(b);
  return least_norm_solution(G, b);
}

}  // namespace

bool solve_box_lcp(const Eigen::MatrixXd& G, const Eigen::VectorXd& c,
                   std::span<const double> lower, std::span<const double> upper,
                   Eigen::VectorXd& lambda, std::span<Bound> at) {
  const int n = int(c.size());
  std::fill(at.begin(), at.end(), Bound::none);
  lambda.setZero(n);
  std::vector<int> inner;
  for (int pivots = 0; pivots <= 50 * n; ++pivots) {
    inner.clear();
    for (int i = 0; i < n; ++i) {
      if (at[i] == Bound::none)
        inner.push_back(i);
      else
        lambda[i] = at[i] == Bound::lower ? lower[i] : upper[i];
    }
    if (!inner.empty()) {
      Eigen::VectorXd b = -c(inner);
      for (int i = 0; i < n; ++i)
        if (at[i] != Bound::none) b -= lambda[i] * G(inner, i);
      const Eigen::VectorXd solved = solve_semidefinite(G(inner, inner), b);
      lambda(inner) = solved;
    }
    // A redundant row may be at its bound while the other rows prevent it from moving. Its w is
    // then only a rounding error, of either sign. w is therefore compared with a bound of this
    // error.
    const Eigen::VectorXd w = G * lambda + c,
                          rounding =
                              rounding_of(n) * (G.cwiseAbs() * lambda.cwiseAbs() + c.cwiseAbs());
    int wrong = -1;
    Bound next = Bound::none;
    for (int i = 0; i < n && wrong < 0; ++i) {
      if (at[i] == Bound::none && lambda[i] < lower[i])
        wrong = i, next = Bound::lower;
      else if (at[i] == Bound::none && lambda[i] > upper[i])
        wrong = i, next = Bound::upper;
      else if ((at[i] == Bound::lower && w[i] < -rounding[i]) ||
               (at[i] == Bound::upper && w[i] > rounding[i]))
        wrong = i, next = Bound::none;
    }
    if (wrong < 0) return true;
    at[wrong] = next;
  }
  return false;
}

void find_bounds(const ConstraintProblem& problem, std::span<const double> lambda, double residual,
                 std::span<Bound> at) {
  const torsor_constraint_problem view = problem.view();
  const auto n = size_t(problem.n());
  const double allowed = 2 * residual * sdk::evaluate_residual(view, lambda.data()).size();
  for (size_t i = 0; i < n; ++i) {
    at[i] = Bound::none;
    if (lambda[i] > problem.lower[i] && lambda[i] < problem.upper[i]) continue;
    const auto [w, terms] = sdk::row_rate(view, int(i), lambda.data());
    const double rounding =
        std::max(rounding_of(Eigen::Index(n)) * terms, allowed * std::sqrt(problem.G[(n + 1) * i]));
    if (w > rounding) at[i] = Bound::lower;
    if (w < -rounding) at[i] = Bound::upper;
  }
}

bool all_at_rest(const Eigen::MatrixXd& G, const Eigen::VectorXd& c,
                 const Eigen::VectorXd& lambda) {
  const Eigen::VectorXd terms = G.cwiseAbs() * lambda.cwiseAbs() + c.cwiseAbs();
  return ((G * lambda + c).cwiseAbs().array() <= 16 * rounding_of(c.size()) * terms.array()).all();
}

}  // namespace torsor
