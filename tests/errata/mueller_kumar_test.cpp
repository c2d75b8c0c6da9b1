// Formulae that the text of MK has lost, and faults of its programs (docs/errata.md).

#include <gtest/gtest.h>

#include "errata/moving_robot.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

class Restored : public testing::Test, public MovingRobot {
 protected:
  Restored() : MovingRobot(plain_chain(6, 44)), now(dense()) {}
  Matrix rate(Matrix DenseDynamics::*member) const {
    return derivative([&](double t) -> Matrix { return dense(t).*member; });
  }
  DenseDynamics now;
};

TEST_F(Restored, RatesOfTheBlockMatrices) {
  EXPECT_LT((rate(&DenseDynamics::D) + now.a * now.D).norm(), 1e-9);
  EXPECT_LT((rate(&DenseDynamics::J) + now.A * now.a * now.J).norm(), 1e-9);
  EXPECT_LT((now.a * now.X).norm(), 1e-15) << "joints with one dof";
  const Vector Vdot = derivative([&](double t) { return dense(t).V; });
  EXPECT_LT((now.J * vdot - now.A * now.a * now.V - Vdot).norm(), 1e-9);
  // U = A Ad(X_W)^-1, the twist of the world in the frames of the bodies.
  const Matrix U = now.A * now.from_world, U_rate = derivative([&](double t) -> Matrix {
                                             const DenseDynamics then = dense(t);
                                             return then.A * then.from_world;
                                           });
  EXPECT_LT((U_rate + now.A * now.a * U).norm(), 1e-9);
}

// MK 26: Adot = A a - A a A. Neither -A a A nor the negative is right.
TEST_F(Restored, TheRateOfA) {
  const Matrix exact = rate(&DenseDynamics::A), Aa = now.A * now.a, AaA = Aa * now.A;
  EXPECT_LT((Aa - AaA - exact).norm(), 1e-9);
  EXPECT_GT((-AaA - exact).norm(), 0.1);
  EXPECT_GT((AaA - Aa - exact).norm(), 0.1);
}

// MK 29: the C of the program, C_b = -Mb A a - b^T Mb, gives the right velocity torques, but Mdot -
// 2 C is not skew, although the text says so. It is with C_b + Mb b.
TEST_F(Restored, TheSkewFormOfC) {
  const Matrix Mdot = rate(&DenseDynamics::M),
               program = -now.Mb * now.A * now.a - now.b.transpose() * now.Mb,
               skew = program + now.Mb * now.b;
  const Vector expected = velocity_torques();
  for (const bool is_program : {true, false}) {
    const Matrix C = now.J.transpose() * (is_program ? program : skew) * now.J, N = Mdot - 2 * C;
    EXPECT_LT((C * v - expected).norm(), 1e-9 * expected.norm());
    const double defect = (N + N.transpose()).norm() / N.norm();
    EXPECT_EQ(defect > 1e-9, is_program) << defect;
  }
}

// The program of the iiwa uses the inertias about the centres of mass as those about the frames.
// Its 6 x 6 inertias are then indefinite, which no body's are.
TEST(Programs, TheInertiasOfTheIiwaNeedSteinersTerm) {
  const RobotDescription right = iiwa(stored_table("iiwa_second_order.json"));
  RobotDescription printed = right;
  for (LinkDescription& link : printed.links) {
    const double m = link.inertia.m;
    const Vec3<double> c = (1 / m) * link.inertia.h;
    // I_c = I_O - m (c.c 1 - c c^T)
    link.inertia.I = link.inertia.I - inertia_about_com(m, c, {0, 0, 0, 0, 0, 0}).I;
  }
  printed.nonphysical = Nonphysical::allow;
  const auto smallest = [](const RobotDescription& robot) {
    double out = 1;
    const Matrix Mb = MovingRobot(robot).dense().Mb;
    for (Eigen::Index i = 0; i < Mb.rows(); i += 6)
      out = std::min(out, eigenvalues(Mb.block(i, i, 6, 6))[0]);
    return out;
  };
  EXPECT_GT(smallest(right), 0);
  EXPECT_NEAR(smallest(printed), -0.143, 5e-4);
}

// The symbolic program of the planar arm has g_vector = (0, g, 0), gravity that points up. The
// torques at rest are then those of a robot that gravity lifts: not the slope of the potential
// energy m g y.
TEST(Programs, GravityOfThePlanarArmPointsDown) {
  const double L1 = 0.8, L2 = 0.6, m1 = 1.7, m2 = 0.9, g = 9.81;
  MovingRobot arm(planar_n_link(Vector{{L1, L2}}, Vector{{m1, m2}}));
  const double q1 = arm.q[0], q12 = arm.q[0] + arm.q[1];
  const Vector slope{{(m1 + m2) * g * L1 * std::cos(q1) + m2 * g * L2 * std::cos(q12),
                      m2 * g * L2 * std::cos(q12)}};
  arm.gravity = {0, -g, 0};
  EXPECT_LT((arm.dense().g - slope).norm(), 1e-13);
  arm.gravity = {0, g, 0};
  EXPECT_LT((arm.dense().g + slope).norm(), 1e-13);
}

}  // namespace
}  // namespace torsor::test
