// Misprints of KHALIL (docs/errata.md): the printed formula is wrong, and the corrected one is
// right.

#include <gtest/gtest.h>

#include "errata/moving_robot.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

// KHALIL 7.57: the point r of a body that turns has the acceleration U r in the body's axes, with U
// = hat(wdot) + hat(w) hat(w). Print has hat(w) for the first term. R(t) = exp(w t + wdot t^2 / 2)
// has the angular velocity w and the acceleration wdot at t = 0.
TEST(Khalil, TheFirstTermOfUHasTheAngularAcceleration) {
  Random random(45);
  const Vec3<double> w = random.vector(2), wdot = random.vector(3), r = random.vector(1);
  const auto at = [&](double t) { return exp_so3(t * w + (t * t / 2) * wdot) * r; };
  const auto second = [&](double h) { return (1 / (h * h)) * (at(h) - 2 * at(0) + at(-h)); };
  const Vec3<double> exact = (1.0 / 3) * (4 * second(1e-3) - second(2e-3));
  const auto U_r = [&](const Vec3<double>& first) {
    return cross(first, r) + cross(w, cross(w, r));
  };
  EXPECT_LT(norm(U_r(wdot) - exact), 1e-8);
  EXPECT_GT(norm(U_r(w) - exact), 0.1);
}

// KHALIL 7.88: the wrench of link n acts on link n-1 with its sign reversed:
//   I V'_{n-1} = F_{n-1} - Ad^T F_n + beta_{n-1}.
// Print has +. The torque of joint n-1 follows from F_{n-1}, and is compared with Lagrange's.
TEST(Khalil, TheNextLinkReactsWithTheOppositeWrench) {
  MovingRobot robot(plain_chain(6, 46));
  robot.gravity = {0, 0, 0};
  const DenseDynamics now = robot.dense();
  const Vector Vdot = derivative([&](double t) { return robot.dense(t).V; }),
               net = now.Mb * Vdot - now.b.transpose() * (now.Mb * now.V),
               tau = now.M * robot.vdot + robot.velocity_torques();
  const Eigen::Index last = now.V.size() - 6, before = last - 6;
  const auto joint_torque = [&](double sign) {
    const Vector F = net.segment(before, 6) +
                     sign * now.D.block(last, before, 6, 6).transpose() * net.segment(last, 6);
    return (now.X.middleRows(before, 6).transpose() * F).sum();
  };
  const int dof = robot.model->v_index[size_t(robot.model->n_body - 2)];
  EXPECT_NEAR(joint_torque(1), tau[dof], 1e-8);
  EXPECT_GT(std::abs(joint_torque(-1) - tau[dof]), 1e-2);
}

// Example 7.4: the second component of 4w3 has WI13, the first component of 3w3. Print has WI12.
TEST(Khalil, TheAngularVelocityOfLinkFour) {
  const MovingRobot robot(rx90(stored_table("rx90.json"), RxParameters::standard));
  const State state = robot.at();
  const auto twist = [&](const char* link) {
    return frame_twist(state, robot.model->frames[size_t(robot.model->frame(link))]);
  };
  const double q2 = robot.q[1], q3 = robot.q[2], q4 = robot.q[3];
  const double WI12 = std::sin(q2) * robot.v[0], WI22 = std::cos(q2) * robot.v[0];
  const double WI13 = std::cos(q3) * WI12 + std::sin(q3) * WI22, W33 = robot.v[1] + robot.v[2];
  EXPECT_NEAR(twist("link3").w.x, WI13, 1e-14);
  const double exact = twist("link4").w.y;  // joint 4 turns about z
  EXPECT_NEAR(-std::sin(q4) * WI13 - std::cos(q4) * W33, exact, 1e-14);
  EXPECT_GT(std::abs(-std::sin(q4) * WI12 - std::cos(q4) * W33 - exact), 0.01);
}

// 0g = (0, 0, G3) has the signed component G3 = -9.81 if z_0 points up. The listing of the RX-90
// has VP12 = -G3 S2 for the first component of the acceleration -g in the axes of link 2.
TEST(Khalil, TheComponentOfGravityIsSigned) {
  const MovingRobot robot(rx90(stored_table("rx90.json"), RxParameters::standard));
  const Mat3<double> R = frame_pose(robot.at(), robot.model->frames[1]).R;
  const double apparent = R(2, 0) * 9.81;  // the acceleration (0, 0, 9.81) of the base
  EXPECT_NEAR(9.81 * std::sin(robot.q[1]), apparent, 1e-14);
  EXPECT_GT(std::abs(-9.81 * std::sin(robot.q[1]) - apparent), 1);
}

}  // namespace
}  // namespace torsor::test
