// Tests of the batch matrix of RCFS 112 against the equivalent linear recursion, in absolute and in
// relative joint angles.

#include <gtest/gtest.h>

#include "planning/chains.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/planning/batch.hpp"

namespace torsor::test {
namespace {

// Returns linearised steps of a chain at random states and torques.
std::vector<LinearStep> linear_steps(int n, size_t count, Random& random) {
  SteppedChain chain(equal_links(n), 0.02);
  std::vector<LinearStep> steps(count);
  for (LinearStep& step : steps)
    EXPECT_TRUE(chain.dynamics.linearise(to_vector(random_values(random, 2 * n, 2)),
                                         to_vector(random_values(random, n, 5)), step));
  return steps;
}

TEST(Batch, EqualsTheRecursion) {
  Random random(1);
  for (const int n : {1, 2, 5}) {
    const std::vector<LinearStep> steps = linear_steps(n, 12, random);
    const Eigen::MatrixXd S = batch_response(steps);
    ASSERT_EQ(S.rows(), 2 * n * 13);
    ASSERT_EQ(S.cols(), n * 12);
    const Vector du = to_vector(random_values(random, n * 12, 1)), response = S * du;
    Vector dx = Vector::Zero(2 * n);
    for (Eigen::Index t = 0; t < 13; ++t) {
      EXPECT_TRUE(close(response.segment(2 * n * t, 2 * n), dx, response.norm(), 1e-13))
          << "t = " << t;
      if (t < 12) dx = (steps[size_t(t)].A * dx + steps[size_t(t)].B * du.segment(n * t, n)).eval();
    }
    EXPECT_GT(response.norm(), 0.01);
  }
}

// Checks that A and B of relative angles, which the solver provides, can be transformed to absolute
// angles: q = L x, u = L^-T tau.
TEST(Batch, OfAbsoluteAnglesBecomesThatOfRelativeOnes) {
  const int n = 4;
  Random random(2);
  const Matrix L = ones_below(n);
  Matrix L2 = Matrix::Zero(2 * n, 2 * n);
  L2.topLeftCorner(n, n) = L2.bottomRightCorner(n, n) = L;
  const std::vector<LinearStep> relative = linear_steps(n, 10, random);
  std::vector<LinearStep> absolute = relative;
  for (LinearStep& step : absolute) {
    step.A = (L2 * step.A * inverse(L2).value()).eval();
    step.B = (L2 * step.B * L.transpose()).eval();
  }
  const Matrix expected = batch_response(relative);
  EXPECT_TRUE(
      close(relative_response(batch_response(absolute), n), expected, expected.norm(), 1e-12));
}

}  // namespace
}  // namespace torsor::test
