// Misprints of MR, chapter 9 (docs/errata.md): the printed formula is wrong, and the corrected one
// is right.

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "errata/moving_robot.hpp"
#include "support/described_arm.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

// The planar arm with two point masses of MR 9.1.
class PlanarArm : public testing::Test {
 protected:
  static constexpr double L1 = 0.8, L2 = 0.6, m1 = 1.7, m2 = 0.9, g = 9.81;
  PlanarArm() {
    robot.gravity = {0, -g, 0};
    tau = robot.dense().inverse(robot.v, robot.vdot);
  }
  MovingRobot robot{planar_n_link(Vector{{L1, L2}}, Vector{{m1, m2}})};
  const double q1 = robot.q[0], q2 = robot.q[1], v1 = robot.v[0], v2 = robot.v[1],
               a1 = robot.vdot[0], a2 = robot.vdot[1];
  Vector tau;
};

// In print, m_2 multiplies only the first of the three terms of K_2.
TEST_F(PlanarArm, TheEnergyOfTheSecondMass) {
  const double K2 = kinetic_energy(robot.at()) - m1 * L1 * L1 * v1 * v1 / 2;
  const double first = (L1 * L1 + 2 * L1 * L2 * std::cos(q2) + L2 * L2) * v1 * v1,
               others = 2 * (L2 * L2 + L1 * L2 * std::cos(q2)) * v1 * v2 + L2 * L2 * v2 * v2;
  EXPECT_NEAR(m2 * (first + others) / 2, K2, 1e-14);
  EXPECT_GT(std::abs((m2 * first + others) / 2 - K2), 1e-3);
}

// The factor of the second acceleration in tau_1 has cos(theta_2), and cos(theta_1) in print.
TEST_F(PlanarArm, TheFirstTorque) {
  const auto tau1 = [&](double angle) {
    return ((m1 + m2) * L1 * L1 + m2 * (2 * L1 * L2 * std::cos(q2) + L2 * L2)) * a1 +
           m2 * (L1 * L2 * std::cos(angle) + L2 * L2) * a2 -
           m2 * L1 * L2 * (2 * v1 * v2 + v2 * v2) * std::sin(q2) +
           (m1 + m2) * L1 * g * std::cos(q1) + m2 * g * L2 * std::cos(q1 + q2);
  };
  EXPECT_NEAR(tau1(q2), tau[0], 1e-13);
  EXPECT_GT(std::abs(tau1(q1) - tau[0]), 1e-3);
}

// tau_2 has + v_1^2 and + gravity. In print, it has - v_1 v_2 and - gravity. Correcting only the
// sign of gravity is not enough.
TEST_F(PlanarArm, TheSecondTorque) {
  const auto tau2 = [&](double velocities, double weight) {
    return m2 * (L1 * L2 * std::cos(q2) + L2 * L2) * a1 + m2 * L2 * L2 * a2 +
           m2 * L1 * L2 * velocities * std::sin(q2) + weight * m2 * g * L2 * std::cos(q1 + q2);
  };
  EXPECT_NEAR(tau2(v1 * v1, 1), tau[1], 1e-13);
  EXPECT_GT(std::abs(tau2(-v1 * v2, -1) - tau[1]), 1e-2);
  EXPECT_GT(std::abs(tau2(-v1 * v2, 1) - tau[1]), 1e-4);
}

Vector as_vector(const Twist<double>& V) {
  return Vector{{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z}};
}

// MR 9.51: A_i is the screw S_i of the home position in frame {i}, Ad(M_i^-1) S_i. Print has
// M_{i-1} and says that A_i is in frame {i-1}.
TEST(ModernRobotics, ScrewsAreInTheFrameOfTheirLink) {
  const RobotDescription robot = described_arm(Description::screws_at_home);
  const auto model = build(robot);
  const State home(model);
  Pose<double> M_previous = Pose<double>::identity();
  for (size_t i = 0; i < robot.links.size(); ++i) {
    const auto& screw = std::get<ScrewPlacement>(robot.links[i].joint.placement);
    const Vec3<double> e = (1 / norm(screw.axis)) * screw.axis;
    const Twist<double> S = robot.links[i].joint.kind == JointKind::revolute
                                ? Twist<double>{e, cross(screw.point, e)}
                                : Twist<double>{{0, 0, 0}, e};
    const Frame& frame = model->frames[size_t(model->links[i].frame)];
    const Vector A = frame_jacobian(home, frame).col(Eigen::Index(i));
    EXPECT_LT((as_vector(inverse_transform(screw.X_PL, S)) - A).norm(), 1e-14);
    EXPECT_GT((as_vector(inverse_transform(M_previous, S)) - A).norm(), 0.1);
    M_previous = screw.X_PL;
  }
}

class Stacked : public testing::Test, public MovingRobot {
 protected:
  Stacked() : MovingRobot(plain_chain(6, 43)), now(dense()) {
    Vdot = derivative([&](double t) { return dense(t).V; });
  }
  DenseDynamics now;
  Vector Vdot;  // by differences
};

// MR 9.47 and 9.58: the bracket has Ad_{T_{i,i-1}} V_{i-1}, V_{i-1} in frame {i}. Print has
// Ad_{T_{i-1,i}}, which is the inverse.
TEST_F(Stacked, TheTwistOfTheParentIsInTheFrameOfTheLink) {
  for (Eigen::Index i = 6; i < now.D.rows(); i += 6) {
    const Matrix to_link = now.D.block(i, i - 6, 6, 6), back = to_link.inverse();
    const Vector S_v = now.X.middleRows(i, 6) * v, parent = now.V.segment(i - 6, 6);
    const auto rate = [&](const Matrix& Ad) -> Vector {
      return now.X.middleRows(i, 6) * vdot + to_link * Vdot.segment(i - 6, 6) +
             ad_matrix(Ad * parent) * S_v;
    };
    EXPECT_LT((rate(to_link) - Vdot.segment(i, 6)).norm(), 1e-9);
    EXPECT_GT((rate(back) - Vdot.segment(i, 6)).norm(), 0.1);
  }
}

// Before MR 9.47, [Vdot_i] is the derivative of T_{i,i-1} [V_{i-1}] T_{i-1,i} + [A_i theta dot_i].
// Print has T_{i-1,i} [V_i] T_{i-1,i}^-1.
TEST_F(Stacked, TheRateOfTheTwistAsAMatrix) {
  using Matrix4 = Eigen::Matrix4d;
  const auto hat = [](const Vector& V) {
    Matrix4 out = Matrix4::Zero();
    out.topLeftCorner<3, 3>() = ad_matrix(V).topLeftCorner<3, 3>();
    out.topRightCorner<3, 1>() = V.tail<3>();
    return out;
  };
  for (int i = 2; i < model->n_body; ++i) {
    const Eigen::Index row = 6 * (i - 1), parent = row - 6;
    const auto T = [&](double t) {
      const State state = at(t);
      const Pose<double>& X = state.X_PB()[size_t(i)];
      Matrix4 out = Matrix4::Identity();
      for (int k = 0; k < 9; ++k) out(k / 3, k % 3) = X.R.m[k];
      out.topRightCorner<3, 1>() << X.p.x, X.p.y, X.p.z;
      return out;
    };
    const auto twist = [&](double t, Eigen::Index first) {
      return hat(dense(t).V.segment(first, 6));
    };
    const Matrix4 exact = hat(Vdot.segment(row, 6)), joint = hat(now.X.middleRows(row, 6) * vdot);
    const Matrix4 right =
        derivative([&](double t) -> Matrix4 { return T(t).inverse() * twist(t, parent) * T(t); });
    const Matrix4 printed =
        derivative([&](double t) -> Matrix4 { return T(t) * twist(t, row) * T(t).inverse(); });
    EXPECT_LT((right + joint - exact).norm(), 1e-8);
    EXPECT_GT((printed + joint - exact).norm(), 0.1);
  }
}

// MR 9.73 and 9.78: the sign before [ad_{A theta dot}] is -, because a bracket changes its sign
// with its order. Print has +.
TEST_F(Stacked, TheBracketOfTheAccelerationsIsNegative) {
  const auto rate = [&](double sign) -> Vector {
    return now.D * Vdot + now.X * vdot + sign * now.a * (now.D * now.V);
  };
  const auto solved = [&](double sign) -> Vector {
    return now.A * (now.X * vdot + sign * now.a * (now.D * now.V));
  };
  EXPECT_LT((rate(-1) - Vdot).norm(), 1e-9);
  EXPECT_LT((solved(-1) - Vdot).norm(), 1e-9);
  EXPECT_GT((rate(1) - Vdot).norm(), 0.1);
  EXPECT_GT((solved(1) - Vdot).norm(), 0.1);
}

// MR 9.83: c = -A^T L^T (G L [ad_{A theta dot}] Gamma + [ad_V]^T G) L A theta dot. Print has + G L
// and - [ad_V]^T G in the parentheses, without the sign before them. Compared with the velocity
// torques of Lagrange.
TEST_F(Stacked, TheVelocityTorques) {
  const auto c = [&](double first) -> Vector {
    return now.J.transpose() * (first * now.Mb * (now.A * (now.a * (now.D * now.V))) -
                                now.b.transpose() * (now.Mb * now.V));
  };
  const Vector expected = velocity_torques();
  EXPECT_LT((c(-1) - expected).norm(), 1e-9 * expected.norm());
  EXPECT_GT((c(1) - expected).norm(), 0.01 * expected.norm());
}

// The initial acceleration of the base is (0, -g), and (0, g) in print. Compared with the slope of
// the potential energy (MR 9.84).
TEST_F(Stacked, TheAccelerationOfTheBaseIsMinusGravity) {
  const auto torques = [&](double sign) -> Vector {
    const Vector base = sign * Vector{{0, 0, 0, gravity.x, gravity.y, gravity.z}};
    return now.J.transpose() * (now.Mb * (now.A * (now.from_world * base)));
  };
  const Vector expected = gravity_torques();
  EXPECT_LT((torques(-1) - expected).norm(), 1e-9 * expected.norm());
  EXPECT_GT((torques(1) - expected).norm(), 0.1 * expected.norm());
}

// F_tip of MR 9.56, 9.71, 9.74 and 9.81 is the wrench that the tip applies to the environment.
// Print says "applied to link n". A mass that hangs at the tip changes the torques at rest by J^T
// F_tip, where the tip carries its weight: F_tip is the force -m g.
TEST_F(Stacked, TheTipAppliesItsWrenchToTheEnvironment) {
  RobotDescription loaded = plain_chain(6, 43);
  const Frame& last = model->frames[size_t(
      model->links[size_t(model->child_link(model->joint_of_dof(int(v.size()) - 1)))].frame)];
  const double mass = 2;
  for (LinkDescription& link : loaded.links)
    if (link.name == last.name)
      link.inertia = link.inertia + inertia_about_com(mass, {0, 0, 0}, {0, 0, 0, 0, 0, 0});
  MovingRobot with_mass(loaded);
  with_mass.q = q;
  with_mass.v = v;
  with_mass.gravity = gravity;
  const Vector change = with_mass.gravity_torques() - gravity_torques();
  const Vector F_tip = -mass * Vector{{0, 0, 0, gravity.x, gravity.y, gravity.z}};
  const Vector of_tip = frame_jacobian(at(), last, Axes::world).transpose() * F_tip;
  EXPECT_LT((of_tip - change).norm(), 1e-9 * change.norm());
  EXPECT_GT((-of_tip - change).norm(), change.norm());
}

// MR 9.95: tau = M (J^-1 Vdot - J^-1 Jdot J^-1 V) + b. Print has J^-T b.
TEST_F(Stacked, TheTorquesOfAPrescribedTwist) {
  const Eigen::Index tip = now.J.rows() - 6;
  const Matrix J = now.J.bottomRows(6), Jdot = now.Jdot.bottomRows(6), J_inverse = J.inverse();
  const Vector b = velocity_torques() + gravity_torques(),
               joint_acceleration = J_inverse * (Vdot.segment(tip, 6) - Jdot * v),
               tau = now.M * vdot + b;
  EXPECT_LT((now.M * joint_acceleration + b - tau).norm(), 1e-7 * tau.norm());
  EXPECT_GT((now.M * joint_acceleration + J_inverse.transpose() * b - tau).norm(),
            0.1 * tau.norm());
}

}  // namespace
}  // namespace torsor::test
