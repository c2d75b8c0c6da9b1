// Tests of limits from actuator data: closed forms, dense samples, and messages.

#include "torsor/motions/actuator_limits.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "planning/chains.hpp"
#include "support/error_of.hpp"
#include "support/reference.hpp"
#include "torsor/model/random_robot.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

ActuatorLimits limits_of(const RobotDescription& robot, const std::vector<MotorData>& motors = {}) {
  const auto model = build(robot);
  Solver solver = planning_registry().solver("newton_euler", model);
  return actuator_limits(model, solver, motors, [](int) {});
}

// Two point masses m at the distances l and 2 l: A_11 = m l^2 (1 + 2 + 2 cos q_2 + ..) is largest
// for the stretched arm, m l^2 (1 + 4) = 5 m l^2, and A_22 = m l^2.
TEST(ActuatorLimits, AreThoseOfAPlanarArm) {
  RobotDescription robot = equal_links(2);
  for (LinkDescription& link : robot.links) {
    link.joint.effort_limit = 10;
    link.joint.velocity_limit = 3;
  }
  ActuatorLimits limits = limits_of(robot);
  const double ml2 = 0.5 * 0.25;
  EXPECT_NEAR(limits.inertia[0], 5 * ml2, 1e-10);
  EXPECT_NEAR(limits.acceleration[0], 10 / (5 * ml2), 1e-8);
  EXPECT_NEAR(limits.acceleration[1], 10 / ml2, 1e-8);
  EXPECT_EQ(limits.speed, (List{3, 3}));
  // The second joint cannot stretch: |q_2| >= 1.
  robot.links[1].joint.lower = 1;
  robot.links[1].joint.upper = 2;
  EXPECT_NEAR(limits_of(robot).inertia[0], (3 + 2 * std::cos(1.0)) * ml2, 1e-8);
  // Motors of 0.05 N m and 100 rad/s with gears of 1:100, and a rotor.
  Drive drive;
  drive.motor.gear_ratio = -100;
  drive.motor.rotor_inertia = 1e-5;
  robot.links[0].joint.drives = {drive};
  limits = limits_of(robot, {{100, 0.05}, {INFINITY, INFINITY}});
  EXPECT_NEAR(limits.speed[0], 1, 1e-12);
  EXPECT_NEAR(limits.inertia[0], (3 + 2 * std::cos(1.0)) * ml2 + 0.1, 1e-8);
  EXPECT_NEAR(limits.acceleration[0], 5 / limits.inertia[0], 1e-9);
}

// No random position has a larger inertia, and some come close.
TEST(ActuatorLimits, FindTheLargestInertia) {
  for (RobotDescription robot : {iiwa(stored_table("iiwa_second_order.json")),
                                 rx90(stored_table("rx90.json"), RxParameters::standard)}) {
    Random random(2);
    for (LinkDescription& link : robot.links) {
      link.joint.effort_limit = 100;
      link.joint.lower = random.uniform(-3, -1);
      link.joint.upper = random.uniform(1, 3);
    }
    const ActuatorLimits limits = limits_of(robot);
    const auto model = build(robot);
    Solver solver = planning_registry().solver("newton_euler", model);
    State state(model);
    List q(size_t(model->n_q)), M(q.size() * q.size()), most(q.size());
    for (int k = 0; k < 200000; ++k) {
      for (size_t j = 0; j < q.size(); ++j)
        q[j] = random.uniform(model->joints[j].lower, model->joints[j].upper);
      state.set_q(q);
      ASSERT_TRUE(solver.mass_matrix(state, M.data()));
      for (size_t j = 0; j < q.size(); ++j) most[j] = std::max(most[j], M[j * q.size() + j]);
    }
    for (size_t j = 0; j < q.size(); ++j) {
      EXPECT_LE(most[j], limits.inertia[j] * (1 + 1e-9)) << j;
      EXPECT_GE(most[j], limits.inertia[j] * 0.97) << j;
    }
  }
}

// The knee turns by half the angle of the hip in the same direction, so that it adds 2 (1/2) M_12 +
// (1/4) M_22.
TEST(ActuatorLimits, IncludeMimicJoints) {
  RobotDescription robot = equal_links(2);
  robot.links[0].joint.effort_limit = 1;
  robot.links[1].joint.mimic = Mimic{robot.links[0].joint.name, 0.5, 0};
  const double ml2 = 0.5 * 0.25;
  // 3 + 2 c + (1 + c) + 1/4 at c = 1
  EXPECT_NEAR(limits_of(robot).inertia[0], 7.25 * ml2, 1e-10);
  robot.links[0].joint.velocity_limit = 4;
  robot.links[1].joint.velocity_limit = 1;
  const ActuatorLimits limits = limits_of(robot);
  EXPECT_EQ(limits.speed, (List{2, 1}));
  EXPECT_DOUBLE_EQ(limits.acceleration[1], limits.acceleration[0] / 2);
}

// N^2 J_m = 0.4 is added to m l^2 for a motor behind a spring. For a transmission with J_qm =
// diag(1, q_2^2), the second rotor turns at v_2 / q_2^2, which is largest at q_2 = 1.
TEST(ActuatorLimits, IncludeAllRotors) {
  RobotDescription robot = equal_links(2);
  const double ml2 = 0.5 * 0.25;
  robot.links[1].joint.effort_limit = 1;
  Drive drive;
  drive.motor.rotor_inertia = 0.001;
  drive.motor.gear_ratio = 20;
  drive.elasticity = Elasticity{.stiffness = 100};
  robot.links[1].joint.drives = {drive};
  EXPECT_NEAR(limits_of(robot).inertia[1], ml2 + 0.4, 1e-9);
  robot.links[1].joint.drives = {};
  robot.links[1].joint.lower = 1;
  robot.links[1].joint.upper = 2;
  Motor left, right;
  left.rotor_inertia = right.rotor_inertia = 0.01;
  const auto entry = [](List coefficients) {
    return JacobianEntry::polynomial(1, std::move(coefficients));
  };
  TransmissionDescription transmission;
  transmission.joints = {robot.links[0].joint.name, robot.links[1].joint.name};
  transmission.motors = {left, right};
  transmission.law = make_law({{entry({1}), entry({0})}, {entry({0}), entry({0, 0, 1})}});
  robot.transmissions = {transmission};
  EXPECT_NEAR(limits_of(robot).inertia[1], ml2 + 0.01, 1e-9);
  robot.transmissions[0].law =
      make_law({{entry({1}), entry({0})}, {entry({0}), entry({1, 0, 0.1})}});
  robot.links[1].joint.upper = INFINITY;
  EXPECT_THAT(error_of([&] { limits_of(robot); }), testing::HasSubstr("position limits"));
}

// N K_T V / R = 4 * 0.5 * 6 / 2 = 6 N m, and V / (N K_T) = 3 rad/s.
TEST(ActuatorLimits, IncludeTheAmplifier) {
  RobotDescription robot = equal_links(2);
  Drive drive;
  drive.motor.gear_ratio = -4;
  drive.motor.torque_constant = 0.5;
  drive.motor.resistance = 2;
  drive.motor.max_voltage = 6;
  robot.links[1].joint.drives = {drive};
  ActuatorLimits limits = limits_of(robot);
  EXPECT_NEAR(limits.speed[1], 3, 1e-12);
  EXPECT_NEAR(limits.acceleration[1] * limits.inertia[1], 6, 1e-12);
  robot.links[1].joint.drives[0].motor.max_current = 2;
  limits = limits_of(robot);
  EXPECT_NEAR(limits.acceleration[1] * limits.inertia[1], 4, 1e-12);
}

TEST(ActuatorLimits, RejectLimitsOfZero) {
  RobotDescription robot = equal_links(1);
  robot.links[0].joint.effort_limit = 0;
  EXPECT_THAT(error_of([&] { limits_of(robot); }),
              testing::HasSubstr("the effort limit of joint '"));
}

TEST(ActuatorLimits, RejectsAnUnboundedInertia) {
  RobotDescription robot = equal_links(2);
  robot.links[0].joint.effort_limit = 1;
  JointDescription& slider = robot.links[1].joint;
  slider.kind = JointKind::prismatic;
  slider.placement = ScrewPlacement{Pose<double>::identity(), {0, 0, 1}};
  EXPECT_NO_THROW(limits_of(robot));  // parallel to the hinge
  slider.placement = ScrewPlacement{Pose<double>::identity(), {1, 0, 0}};
  EXPECT_THAT(error_of([&] { limits_of(robot); }),
              testing::AllOf(testing::HasSubstr("grows without bound with the position of joint '"),
                             testing::HasSubstr("position limits")));
}

}  // namespace
}  // namespace torsor::test
