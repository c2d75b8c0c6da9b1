#include "torsor/constraints/box_lcp.hpp"

#include <gtest/gtest.h>

#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

// Returns G = J J^T for a random J with n rows, of rank 1 to 3. Some rows of J are repeated or
// negated, like the rows of friction and a stop of one joint.
Eigen::MatrixXd redundant_rows(Random& random, int n) {
  const int rank = 1 + random.below(3);
  Eigen::MatrixXd J(n, rank);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < rank; ++k) J(i, k) = random.uniform(-1, 1);
  for (int i = 1; i < n; ++i)
    if (random.below(2) == 0) J.row(i) = (random.below(2) == 0 ? 1 : -1) * J.row(random.below(i));
  return J * J.transpose();
}

TEST(BoxLcp, RedundantRowsAreSolved) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const int n = 2 + random.below(5);
    const Eigen::MatrixXd G = std::pow(10, random.uniform(-3, 3)) * redundant_rows(random, n);
    // c must be in the range of G, like J vdot. Otherwise a row without bounds could not be
    // satisfied.
    Eigen::VectorXd c = G *
                        Eigen::Map<const Eigen::VectorXd>(random_values(random, n, 100).data(), n),
                    lambda;
    std::vector<double> lower, upper;
    for (int i = 0; i < n; ++i) {
      const double most = random.below(2) == 0 ? random.uniform(0, 10) : HUGE_VAL;
      upper.push_back(most);
      lower.push_back(std::isinf(most) && random.below(2) == 0 ? 0 : -most);
    }
    std::vector<Bound> at(size_t(n), Bound::none);
    ASSERT_TRUE(solve_box_lcp(G, c, lower, upper, lambda, at));
    const Eigen::VectorXd w = G * lambda + c;
    // The tolerance is the regularisation of redundant rows, 64 n eps, times the condition of the
    // other rows.
    const double rounding = 1e-9 * (G.norm() * lambda.norm() + c.norm());
    for (int i = 0; i < n; ++i) {
      EXPECT_GE(lambda[i], lower[size_t(i)]);
      EXPECT_LE(lambda[i], upper[size_t(i)]);
      EXPECT_TRUE(w[i] <= rounding || lambda[i] == lower[size_t(i)]) << w[i];
      EXPECT_TRUE(w[i] >= -rounding || lambda[i] == upper[size_t(i)]) << w[i];
    }
  }
}

// Two rows that are nearly the same and require rates that differ: no forces meet both. They share
// the force that meets their mean; the forces stay bounded.
TEST(BoxLcp, RowsThatContradictEachOtherSlightlyShareTheirForce) {
  for (const double apart : {0.0, 1e-16, 1e-12, 1e-9}) {
    Eigen::MatrixXd J(3, 2);
    J << 1, 0, 1, apart, 0, 2;
    const Eigen::MatrixXd G = J * J.transpose();
    const Eigen::Vector3d c(1, 1 + 1e-7, -2);
    const std::vector<double> lower(3, -HUGE_VAL), upper(3, HUGE_VAL);
    Eigen::VectorXd lambda;
    std::vector<Bound> at(3, Bound::none);
    ASSERT_TRUE(solve_box_lcp(G, c, lower, upper, lambda, at));
    EXPECT_NEAR(lambda[0], -0.5, 1e-6) << apart;
    EXPECT_NEAR(lambda[1], -0.5, 1e-6) << apart;
    EXPECT_NEAR(lambda[2], 0.5, 1e-6) << apart;
  }
}

}  // namespace
}  // namespace torsor::test
