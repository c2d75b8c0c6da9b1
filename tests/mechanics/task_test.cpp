// Tests of the joint rates that give a frame a required motion. Forward kinematics of the rates
// must return that motion.

#include "torsor/mechanics/task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "support/known_robots.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

using Six = Eigen::Matrix<double, 6, 1>;

Six six(const Twist<double>& V) {
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}

// Return the twist and the acceleration of the frame for joint rates.
Six twist(State& state, const Frame& frame, const JointRates& rates) {
  state.v = rates.v;
  return six(frame_twist(state, frame, Axes::world));
}
Six acceleration(State& state, const Frame& frame, const JointRates& rates) {
  state.v = rates.v;
  return frame_jacobian(state, frame, Axes::world) *
             Eigen::Map<const Vector>(rates.vdot.data(), state.model().n_v) +
         six(jacobian_rate(state, frame, Axes::world));
}

TEST(JointRates, MoveTheFrameAsRequired) {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(7, Shape::chain, seed, Kinds::every));
    State state = random_state(model, random);
    const Frame& frame = model->frames.back();
    const Twist<double> V{random.vector(1), random.vector(1)},
        Vdot{random.vector(1), random.vector(1)};
    const JointRates rates = joint_rates(state, frame, pose_components, {}, V, Vdot);
    EXPECT_TRUE(close(twist(state, frame, rates), six(V), six(V).norm(), 1e-10));
    EXPECT_TRUE(close(acceleration(state, frame, rates), six(Vdot), six(Vdot).norm(), 1e-8));
  }
}

// Compares with differences of the frame's position along q + v t + vdot t^2 / 2, without any
// Jacobian.
// Equations: KHALIL 9.19, 9.20; MR 9.93, 9.94.
TEST(JointRates, AreTheDerivativesOfAMotion) {
  const auto model = build(iiwa(stored_table("iiwa_second_order.json")));
  State state(model);
  const std::vector<double> q{0.3, -0.8, 0.5, 1.2, -0.4, 0.7, 0.2};
  state.set_q(q);
  const Frame& frame = model->frames[size_t(model->frame("link7"))];
  const Twist<double> V{{}, {0.3, -0.2, 0.5}}, Vdot{{}, {-1, 0.4, 0.2}};
  const JointRates rates = joint_rates(state, frame, position_components, {}, V, Vdot);
  const auto at = [&](double t) {
    std::vector<double> moved = q;
    for (size_t k = 0; k < q.size(); ++k) moved[k] += t * rates.v[k] + t * t / 2 * rates.vdot[k];
    state.set_q(moved);
    return frame_pose(state, frame).p;
  };
  const double h = 1e-3;
  EXPECT_LT(norm(1 / (2 * h) * (at(h) - at(-h)) - V.v), 1e-5);
  EXPECT_LT(norm(1 / (h * h) * (at(h) + at(-h) - 2.0 * at(0)) - Vdot.v), 1e-5);
}

// Checks that the rates of a redundant arm have minimum norm: v is orthogonal to the null space of
// J.
TEST(JointRates, OfARedundantArmHaveMinimumNorm) {
  const auto model = build(iiwa(stored_table("iiwa_second_order.json")));
  State state(model);
  state.set_q(std::vector<double>{0.3, -0.8, 0.5, 1.2, -0.4, 0.7, 0.2});
  const Frame& frame = model->frames[size_t(model->frame("link7"))];
  const JointRates rates =
      joint_rates(state, frame, pose_components, {}, {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}, {});
  const Eigen::MatrixXd J = frame_jacobian(state, frame, Axes::world);
  // The null vector of J is orthogonal to every row of J. Its entries are signed minors of the 6 x
  // 7 matrix.
  Vector none(7);
  for (int k = 0; k < 7; ++k) {
    Eigen::MatrixXd minor(6, 6);
    for (int c = 0, out = 0; c < 7; ++c)
      if (c != k) minor.col(out++) = J.col(c);
    none[k] = (k % 2 ? -1 : 1) * minor.determinant();
  }
  const Vector v = Eigen::Map<const Vector>(rates.v.data(), 7);
  EXPECT_LT(std::abs(none.normalized().dot(v)), 1e-13 * v.norm());
}

TEST(JointRates, KeepLockedJointsAtRestAndMoveMimics) {
  RobotDescription robot = planar_n_link(Vector::Ones(4), Vector::Ones(4));
  robot.links[1].joint.mimic = Mimic{.joint = "joint1", .ratio = 0.5};
  const auto model = build(robot);
  State state(model);
  state.set_q(std::vector<double>{0.4, 0.2, 0.7, -0.3});
  const Frame& frame = model->frames[size_t(model->frame("tip4"))];
  const Components plane{false, false, false, true, true, false};
  const std::vector<int> held{2};
  const Twist<double> V{{}, {0.3, -0.2, 0}};
  const JointRates rates = joint_rates(state, frame, plane, held, V, {});
  EXPECT_EQ(rates.v[2], 0);
  EXPECT_EQ(rates.v[1], 0.5 * rates.v[0]);
  EXPECT_NEAR(twist(state, frame, rates)[3], 0.3, 1e-12);
  EXPECT_NEAR(twist(state, frame, rates)[4], -0.2, 1e-12);
  EXPECT_LT(acceleration(state, frame, rates).segment<2>(3).norm(), 1e-12);
}

std::string rejection_message(const std::vector<double>& q, const Components& components) {
  const auto model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  State state(model);
  state.set_q(q);
  try {
    (void)joint_rates(state, model->frames[size_t(model->frame("tip2"))], components, {}, {}, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(JointRates, RejectSingularConfigurationsWithTheirDirection) {
  const Components plane{false, false, false, true, true, false};
  EXPECT_EQ(rejection_message({0, 0.1}, plane), "");
  const std::string stretched = rejection_message({0, 0}, plane);
  EXPECT_THAT(
      stretched,
      testing::MatchesRegex(
          "frame 'tip2' cannot be moved along \\(rotation 0 0 0, translation -?1 0 0\\) here: the "
          "configuration is singular; these joint rates do not move it: joint 'joint1' -?0.447, "
          "joint 'joint2' -?0.894"));
  EXPECT_THAT(
      rejection_message({0, 0.1}, position_components),
      testing::MatchesRegex(
          "frame 'tip2' cannot be moved along \\(rotation 0 0 0, translation 0 0 -?1\\) here: 3 "
          "components are requested, but only 2 degrees of freedom are free"));
}

}  // namespace
}  // namespace torsor::test
