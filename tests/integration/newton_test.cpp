// Tests of Newton's method in implicit integrators.

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/integration/newton_matrix.hpp"

namespace torsor::test {
namespace {

// p' = u, u' = -p^3 - m, m' = u - m, w' = p u m
class Nonlinear : public System {
 public:
  Layout layout() const override { return {.velocities = 1, .memory = 1, .works = 1}; }
  bool rate(double, const double* z, double, double* zdot) override {
    zdot[0] = z[1];
    zdot[1] = -z[0] * z[0] * z[0] - z[2];
    zdot[2] = z[1] - z[2];
    zdot[3] = z[0] * z[1] * z[2];
    return true;
  }
};

// The same system with a formula for J.
class WithFormula : public Nonlinear {
 public:
  bool jacobian(double, const double* z, double* J) override {
    Eigen::Map<Eigen::Matrix<double, 4, 3>> out(J);
    out << 0, 1, 0, -3 * z[0] * z[0], 0, -1, 0, 1, -1, z[1] * z[2], z[0] * z[2], z[0] * z[1];
    return true;
  }
};

// Checks (1 - gamma J) x = r with the J of the formula, works included.
void expect_solution(Nonlinear& system, double tolerance, long long expected_rates) {
  const double z[] = {0.7, -1.2, 0.4, 3}, gamma = 0.3;
  double zdot[4];
  long long rates = 0;
  ASSERT_TRUE(system.rate(0, z, 0, zdot));
  NewtonMatrix newton(system);
  ASSERT_TRUE(newton.differentiate(0, z, zdot, rates));
  EXPECT_EQ(rates, expected_rates);
  ASSERT_TRUE(newton.factorise(gamma));
  Eigen::Matrix<double, 4, 4> matrix = Eigen::Matrix4d::Identity();
  Eigen::Matrix<double, 4, 3> J;
  WithFormula().jacobian(0, z, J.data());
  matrix.leftCols(3) -= gamma * J;
  const Eigen::Vector4d r(1, -2, 0.5, 0.8);
  Eigen::Vector4d x = r;
  newton.solve(x.data());
  EXPECT_LT((matrix * x - r).norm(), tolerance);
}

TEST(NewtonMatrix, SolvesWithDifferences) {
  Nonlinear system;
  expect_solution(system, 1e-7, 3);
}
TEST(NewtonMatrix, SolvesWithAFormula) {
  WithFormula system;
  expect_solution(system, 1e-15, 0);
}

// p' = u, u' = p: the matrix [1, -gamma; -gamma, 1] is singular at gamma = 1.
class Growing : public System {
 public:
  Layout layout() const override { return {.velocities = 1}; }
  bool rate(double, const double* z, double, double* zdot) override {
    zdot[0] = z[1];
    zdot[1] = z[0];
    return true;
  }
  bool jacobian(double, const double*, double* J) override {
    J[0] = J[3] = 0;
    J[1] = J[2] = 1;
    return true;
  }
};
TEST(NewtonMatrix, ReportsASingularMatrix) {
  Growing system;
  NewtonMatrix newton(system);
  const double z[] = {1, 1};
  long long rates = 0;
  ASSERT_TRUE(newton.differentiate(0, z, z, rates));
  EXPECT_FALSE(newton.factorise(1));
  EXPECT_TRUE(newton.factorise(0.5));
}

// The rule of a linear oscillator has the closed form (1 - h/2 J)^-1 (1 + h/2 J) z.
class Oscillator : public System {
 public:
  Layout layout() const override { return {.velocities = 1, .works = 1}; }
  bool rate(double, const double* z, double, double* zdot) override {
    zdot[0] = z[1];
    zdot[1] = -z[0];
    zdot[2] = z[0] * z[1];
    return true;
  }
};
TEST(ImplicitMidpoint, EqualsItsClosedForm) {
  Oscillator system;
  const auto stepper = make_stepper(Integrator::implicit_midpoint, {}, system);
  const double start[] = {0.3, -0.8, 0}, h = 0.5;
  stepper->start(0, start, 0);
  ASSERT_TRUE(stepper->advance(h));
  Eigen::Matrix2d J;
  J << 0, 1, -1, 0;
  const Eigen::Matrix2d I = Eigen::Matrix2d::Identity();
  const Eigen::Vector2d before(start[0], start[1]),
      after = (I - h / 2 * J).inverse() * (I + h / 2 * J) * before, middle = (before + after) / 2;
  EXPECT_NEAR(stepper->state()[0], after[0], 1e-14);
  EXPECT_NEAR(stepper->state()[1], after[1], 1e-14);
  EXPECT_NEAR(stepper->state()[2], h * middle[0] * middle[1], 1e-14);
}

TEST(ImplicitMidpoint, SolvesItsEquation) {
  Nonlinear system;
  const auto stepper = make_stepper(Integrator::implicit_midpoint, {}, system);
  const double start[] = {0.7, -1.2, 0.4, 3}, h = 0.5;
  stepper->start(0, start, 0);
  ASSERT_TRUE(stepper->advance(h));
  double middle[4], zdot[4];
  for (int i = 0; i < 4; ++i) middle[i] = (start[i] + stepper->state()[size_t(i)]) / 2;
  ASSERT_TRUE(system.rate(0, middle, 0, zdot));
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(stepper->state()[size_t(i)], start[i] + h * zdot[i], 1e-9) << i;
}

// u' jumps at u = 0 so steeply that every iteration ends on the other side.
class Jumping : public System {
 public:
  Layout layout() const override { return {.velocities = 1}; }
  bool rate(double, const double* z, double, double* zdot) override {
    zdot[0] = z[1];
    zdot[1] = z[1] > 0 ? -1 : 1;
    return true;
  }
};
TEST(ImplicitMidpoint, FailsIfItDoesNotConverge) {
  Jumping system;
  const auto stepper = make_stepper(Integrator::implicit_midpoint, {}, system);
  const double start[] = {0, 0.01};
  stepper->start(0, start, 0);
  try {
    (void)stepper->advance(0.1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the integrator failed: 20 iterations of Newton's method do not converge; try a "
                 "smaller dt");
  }
}

}  // namespace
}  // namespace torsor::test
