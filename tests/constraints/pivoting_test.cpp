#include "torsor/sdk/constraints/pivoting.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/constraint_problems.hpp"
#include "support/random_robot.hpp"
#include "torsor/constraints/multiplier_solver.hpp"

namespace torsor::test {
namespace {

Eigen::VectorXd pivoted(const RandomProblem& problem, int* factorisations = nullptr) {
  const torsor_constraint_problem view = problem.view();
  std::vector<double> work(sdk::Pivoting::work_doubles(size_t(view.n)), NAN);
  Eigen::VectorXd lambda(view.n);
  const int count = sdk::Pivoting(view, work.data()).solve(lambda.data());
  if (factorisations) *factorisations = count;
  return lambda;
}

// Returns the solution of least norm, in the units of rows with G_ii = 1, of A x = b.
Eigen::VectorXd pseudo_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  const Eigen::VectorXd inverse = eigen.eigenvalues().unaryExpr(
      [&](double s) { return s > 1e-10 * double(A.rows()) ? 1 / s : 0; });
  return eigen.eigenvectors() * inverse.cwiseProduct(eigen.eigenvectors().transpose() * b);
}

// Tries all 3^n places of the rows: at the lower bound, at the upper bound, and between them.
// Returns the lambda with the smallest violation.
Eigen::VectorXd enumerated(const RandomProblem& p) {
  const int n = int(p.c.size());
  Eigen::VectorXd best;
  double least = HUGE_VAL;
  for (int code = 0; code < int(std::pow(3, n)); ++code) {
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(n);
    std::vector<int> inner;
    bool possible = true;
    for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
      if (rest % 3 == 2) {
        inner.push_back(i);
        continue;
      }
      lambda[i] = rest % 3 == 0 ? p.lower[i] : p.upper[i];
      possible &= std::isfinite(lambda[i]);
    }
    if (!possible) continue;
    const Eigen::VectorXd root = p.G.diagonal().cwiseSqrt();
    if (!inner.empty()) {
      const Eigen::VectorXd r = root(inner), b = -(p.rates(lambda)(inner).cwiseQuotient(r));
      const Eigen::MatrixXd A = r.cwiseInverse().asDiagonal() * Eigen::MatrixXd(p.G)(inner, inner) *
                                r.cwiseInverse().asDiagonal();
      lambda(inner) = pseudo_solution(A, b).cwiseQuotient(r);
    }
    for (int i = 0; i < n; ++i)
      if (const double slack = 1e-9 * (1 + std::abs(lambda[i]));
          lambda[i] >= p.lower[i] - slack && lambda[i] <= p.upper[i] + slack)
        lambda[i] = std::clamp(lambda[i], p.lower[i], p.upper[i]);
    if (const double now = violation(p, lambda); now < least) least = now, best = lambda;
  }
  EXPECT_LT(least, 1e-8);
  return best;
}

// Returns the factor by which rounding errors of G lambda grow, because its terms cancel. It is
// large if rows are nearly redundant.
double cancellation(const RandomProblem& p, const Eigen::VectorXd& lambda) {
  const Eigen::VectorXd root = p.G.diagonal().cwiseSqrt(),
                        terms = p.G.cwiseAbs() * lambda.cwiseAbs() + p.c_terms,
                        sums = (p.G * lambda).cwiseAbs() + p.c_terms;
  return terms.cwiseQuotient(root).maxCoeff() / sums.cwiseQuotient(root).maxCoeff();
}

TEST(Pivoting, SolvesProblemsOfEverySizeAndRank) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const int n = seed % 50 == 0 ? 60 : 1 + random.below(12);
    const RandomProblem p = random_problem(
        random, {.n = n, .rank = 1 + random.below(n), .spread = seed % 3 == 0 ? 1e6 : 1});
    const Eigen::VectorXd lambda = pivoted(p);
    EXPECT_LT(violation(p, lambda), 1e-11 * cancellation(p, lambda)) << n;
  }
}

TEST(Pivoting, AgreesWithAllActiveSets) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const int n = 1 + random.below(6);
    const RandomProblem p = random_problem(random, {.n = n, .rank = 1 + random.below(n)});
    const Eigen::VectorXd w = p.rates(pivoted(p)), expected = p.rates(enumerated(p));
    EXPECT_LT((w - expected).norm(), 1e-7 * p.c_terms.norm());
  }
}

TEST(Pivoting, RedundantFreeRowsGetTheMultipliersOfLeastNorm) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const int n = 2 + random.below(10);
    const RandomProblem p = random_problem(
        random, {.n = n, .rank = 1 + random.below(n - 1), .spread = 1e3, .has_bounds = false});
    const Eigen::VectorXd root = p.G.diagonal().cwiseSqrt();
    const Eigen::MatrixXd A =
        root.cwiseInverse().asDiagonal() * p.G * root.cwiseInverse().asDiagonal();
    const Eigen::VectorXd expected = pseudo_solution(A, -p.c.cwiseQuotient(root)),
                          x = pivoted(p).cwiseProduct(root);
    EXPECT_LT((x - expected).norm(), 1e-8 * expected.norm());
  }
}

// The multipliers do not depend on the order of the rows, also if the rows contradict one another.
TEST(Pivoting, TheOrderOfTheRowsDoesNotMatter) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const int n = 2 + random.below(8);
    const RandomProblem p = random_problem(
        random,
        {.n = n, .rank = 1 + random.below(n - 1), .has_bounds = false, .agrees = seed % 2 == 0});
    RandomProblem reversed = p;
    reversed.G = p.G.reverse().eval();
    reversed.c = p.c.reverse().eval();
    reversed.c_terms = p.c_terms.reverse().eval();
    const Eigen::VectorXd a = pivoted(p), b = pivoted(reversed).reverse();
    EXPECT_LT((a - b).norm(), 1e-8 * a.norm());
  }
}

// Two opposite rows that both approach contradict each other. Without bounds the least-squares
// solution is 0. With bounds, both push as much as they can.
TEST(Pivoting, ContradictoryRowsPushToTheirBounds) {
  RandomProblem p;
  p.G = RowMatrix{{1, -1}, {-1, 1}};
  p.c = Eigen::Vector2d(-1, -1);
  p.c_terms = p.c.cwiseAbs();
  p.lower = Eigen::Vector2d(0, 0);
  p.upper = Eigen::Vector2d(HUGE_VAL, HUGE_VAL);
  EXPECT_EQ(pivoted(p), Eigen::Vector2d(0, 0));
  p.upper = Eigen::Vector2d(5, 7);
  const Eigen::VectorXd pushed = pivoted(p);
  EXPECT_EQ(violation(p, pushed), 0);
  EXPECT_EQ(pushed[0], 5);
  // A contradiction as small as the rounding errors of c is none.
  p.c_terms = Eigen::Vector2d(1e16, 1e16);
  EXPECT_EQ(pivoted(p), Eigen::Vector2d(0, 0));
}

TEST(Pivoting, RowsThatNothingMovesGetABoundOrZero) {
  RandomProblem p;
  p.G = RowMatrix::Zero(5, 5);
  p.G(0, 0) = 4;
  p.c = Eigen::VectorXd{{-8, 1, -1, 1, 0}};
  p.c_terms = p.c.cwiseAbs();
  p.lower = Eigen::VectorXd{{-HUGE_VAL, -3, -3, -HUGE_VAL, 1}};
  p.upper = Eigen::VectorXd{{HUGE_VAL, 3, 3, HUGE_VAL, 2}};
  EXPECT_EQ(pivoted(p), (Eigen::VectorXd{{2, -3, 3, 0, 1}}));
}

TEST(Pivoting, NoRowsAndNaNEnd) {
  RandomProblem none;
  none.G.resize(0, 0);
  EXPECT_EQ(pivoted(none).size(), 0);
  Random random(1);
  RandomProblem p = random_problem(random, {.n = 5, .rank = 3});
  p.c[2] = NAN;
  (void)pivoted(p);
  p.c[2] = 0;
  p.G(1, 3) = NAN;
  (void)pivoted(p);
}

// Problems of contact have many one-sided rows. Block pivoting needs few factorisations for them.
TEST(Pivoting, NeedsFewFactorisations) {
  int most = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    RandomProblem p = random_problem(random, {.n = 40, .rank = 60});
    p.lower.setZero();
    p.upper.setConstant(HUGE_VAL);
    int count = 0;
    EXPECT_LT(violation(p, pivoted(p, &count)), 1e-12);
    most = std::max(most, count);
  }
  EXPECT_LE(most, 12);
}

}  // namespace
}  // namespace torsor::test
