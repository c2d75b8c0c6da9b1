// Tests of damped least squares within bounds: against the optimality conditions, and against a
// search over all sets of active bounds.

#include "torsor/mechanics/bounded_least_squares.hpp"
#include "torsor/base/linear_algebra.hpp"

#include <gtest/gtest.h>

#include "support/agreement.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

Eigen::MatrixXd random_matrix(Random& random, int rows, int columns) {
  Eigen::MatrixXd out(rows, columns);
  for (double& x : out.reshaped()) x = random.uniform(-1, 1);
  return out;
}

struct Problem {
  Eigen::MatrixXd J;
  Eigen::VectorXd e, lower, upper;
  double lambda;

  double cost(const Eigen::VectorXd& d) const {
    return (J * d - e).squaredNorm() + lambda * lambda * d.squaredNorm();
  }
};

// Returns a random problem. Zero, the start, is on a bound of some entries. Some entries have no
// bounds, and some have both bounds at zero.
Problem random_problem(Random& random, int rows, int columns) {
  Problem out{random_matrix(random, rows, columns), random_matrix(random, rows, 1),
              Eigen::VectorXd::Constant(columns, -HUGE_VAL),
              Eigen::VectorXd::Constant(columns, HUGE_VAL), std::pow(10, random.uniform(-4, 0))};
  for (int k = 0; k < columns; ++k) {
    if (random.below(4) != 0) out.lower[k] = random.below(3) == 0 ? 0 : -random.uniform(0, 0.5);
    if (random.below(4) != 0) out.upper[k] = random.below(3) == 0 ? 0 : random.uniform(0, 0.5);
  }
  return out;
}

// Returns the minimum cost within the bounds, by a search over all 3^n choices: each entry is at
// its lower bound, at its upper bound or free.
double least_of_all(const Problem& p) {
  const int n = int(p.J.cols());
  double least = HUGE_VAL;
  int choices = 1;
  for (int k = 0; k < n; ++k) choices *= 3;
  for (int choice = 0; choice < choices; ++choice) {
    Eigen::VectorXd d = Eigen::VectorXd::Zero(n);
    std::vector<int> free;
    for (int k = 0, rest = choice; k < n; ++k, rest /= 3)
      if (rest % 3 == 0)
        free.push_back(k);
      else
        d[k] = rest % 3 == 1 ? p.lower[k] : p.upper[k];
    if (!d.allFinite()) continue;
    const Eigen::MatrixXd J = p.J(Eigen::all, free);
    Eigen::MatrixXd H = J.transpose() * J;
    H.diagonal().array() += p.lambda * p.lambda;
    const Eigen::VectorXd best = solve(H, J.transpose() * (p.e - p.J * d));
    d(free) = best;
    if (((d - p.lower).array() < 0).any() || ((p.upper - d).array() < 0).any()) continue;
    least = std::min(least, p.cost(d));
  }
  return least;
}

TEST(BoundedLeastSquares, CostsNoMoreThanAnyChoiceOfBounds) {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    for (int i = 0; i < 25; ++i) {
      const Problem p = random_problem(random, 1 + random.below(6), 1 + random.below(6));
      const Eigen::VectorXd d = bounded_least_squares(p.J, p.e, p.lambda, p.lower, p.upper);
      EXPECT_TRUE(((d - p.lower).array() >= 0).all() && ((p.upper - d).array() >= 0).all());
      EXPECT_LE(p.cost(d), least_of_all(p) * (1 + 1e-12));
    }
  }
}

TEST(BoundedLeastSquares, WithoutBoundsIsTheDampedInverse) {
  Random random(9);
  const Eigen::MatrixXd J = random_matrix(random, 6, 9);
  const Eigen::VectorXd e = random_matrix(random, 6, 1),
                        inf = Eigen::VectorXd::Constant(9, HUGE_VAL);
  const Eigen::MatrixXd small = J * J.transpose() + 0.01 * Eigen::MatrixXd::Identity(6, 6);
  const Eigen::VectorXd expected = J.transpose() * solve(small, e);
  EXPECT_TRUE(agree(bounded_least_squares(J, e, 0.1, -inf, inf), expected));
}

// Checks that a tiny lambda and a rank-deficient matrix give the solution of minimum norm.
TEST(BoundedLeastSquares, TinyDampingOfADeficientMatrixGivesMinimumNorm) {
  const Eigen::MatrixXd J{{1, 1}, {1, 1}};
  const Eigen::VectorXd e{{1, 1}}, inf = Eigen::VectorXd::Constant(2, HUGE_VAL);
  EXPECT_TRUE(agree(bounded_least_squares(J, e, 1e-14, -inf, inf), Vector::Constant(2, 0.5)));
}

}  // namespace
}  // namespace torsor::test
