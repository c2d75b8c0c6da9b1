// Tests of the report about springs, friction and constraints of a joint, against closed forms.

#include "editor/probe/joint_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "editor/states.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;
using testing::ElementsAre;
using testing::IsEmpty;

// Returns "name: value unit" of each line.
std::vector<std::string> texts(const std::vector<Line>& lines) {
  std::vector<std::string> out;
  for (const Line& line : lines)
    out.push_back(line.name + ": " + line.value + (line.unit.empty() ? "" : " ") + line.unit);
  return out;
}

std::vector<std::string> report(Simulation& s, const std::string& joint) {
  const auto list = [](std::span<const double> x) {
    return std::vector<double>(x.begin(), x.end());
  };
  const JointForces forces{list(s.torque()), list(s.friction()), list(s.constraint()), ""};
  return texts(joint_report(s, forces, s.model().joints[size_t(s.model().joint(joint))]));
}

Simulation simulation(const RobotDescription& robot, const std::vector<double>& q,
                      const std::vector<double>& v, const std::vector<double>& tau = {}) {
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, 0, 0});
  s.set_load({.tau = tau});
  s.set_state(q, v);
  return s;
}

RobotDescription slider_with(const Drive& drive) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives = {drive};
  return robot;
}

TEST(JointReport, IsEmptyForABareJoint) {
  Simulation s = simulation(slider(), {0.1}, {1});
  EXPECT_THAT(report(s, "rail"), IsEmpty());
  EXPECT_EQ(mode_report(s).value, "");
}

// Checks a cart of 1 kg with a prescribed acceleration of 3 m/s^2, which needs 3 N.
TEST(JointReport, ReportsPrescribedMotionAndItsForce) {
  Simulation s = simulation(slider(), {0}, {0});
  Load load;
  load.prescriptions = {{0, [](double t, std::span<double> v, std::span<double> vdot) {
                           v[0] = 3 * t, vdot[0] = 3;
                         }}};
  s.set_load(load);
  EXPECT_THAT(report(s, "rail"), ElementsAre("Motion: prescribed", "Constraint force: 3 N"));
}

// Checks k = 100, k_3 = 50, d = 3: -(100 + 50 x^2) x - 3 xdot at x = 0.2, xdot = -0.5 is
// -20.4 + 1.5 (KHALIL 7.34).
TEST(JointReport, ReportsMotorAndSpringOfAnElasticJoint) {
  RobotDescription robot = pendulum();
  robot.links[0].joint.drives = {
      {.elasticity = Elasticity{.stiffness = 100, .cubic = 50, .damping = 3},
       .motor = {.rotor_inertia = 0.1, .friction = {}}}};
  Simulation s = simulation(robot, {0.5}, {1.5});
  s.set_motors(std::vector{0.3}, std::vector{2.0});
  EXPECT_THAT(report(s, "joint1"), ElementsAre("Motor position: 0.3 rad", "Motor velocity: 2 rad/s",
                                               "Deflection: 0.2 rad", "Elastic torque: -18.9 N m"));
}

TEST(JointReport, ReportsATorqueThatIsNotConstant) {
  Simulation s = simulation(pendulum(), {0}, {0}, {1});
  s.set_load({.tau = {1}, .tau_of_time = [](double t, std::span<double> tau) { tau[0] += 2 * t; }});
  EXPECT_THAT(report(s, "joint1"), IsEmpty()) << "2 t is 0";
  while (s.steps() < 500) s.step();
  EXPECT_THAT(report(s, "joint1"), ElementsAre("Motor torque: 2 N m"));
}

// Checks a motor at rest: its torque is 7 N m, the spring acts with 20 N m, and its static friction
// is up to 30 N m.
TEST(JointReport, ReportsStaticFrictionOfAnElasticMotor) {
  RobotDescription robot = pendulum();
  const Friction dry{.law = Friction::Law::coulomb, .coulomb = 20, .breakaway = 30};
  robot.links[0].joint.drives = {{.elasticity = Elasticity{.stiffness = 100},
                                  .motor = {.rotor_inertia = 0.1, .friction = dry}}};
  Simulation s = simulation(robot, {0.5}, {0}, {7});
  s.set_motors(std::vector{0.3}, std::vector{0.0});
  EXPECT_THAT(report(s, "joint1"),
              ElementsAre("Motor position: 0.3 rad", "Motor velocity: 0 rad/s",
                          "Deflection: 0.2 rad", "Elastic torque: -20 N m",
                          "Motor friction state: sticks", "Motor constraint: -27 N m"));
  const double held = s.motor_v()[0];
  s.step();
  EXPECT_EQ(s.motor_v()[0], held);
}

// Checks a spring of 10 N/m that pulls by 2 N, with static friction up to 6 N.
TEST(JointReport, ReportsStaticFriction) {
  const RobotDescription robot =
      slider_with({.friction = {.law = Friction::Law::coulomb, .coulomb = 4, .breakaway = 6},
                   .spring = {.stiffness = 10, .rest = 0.3}});
  Simulation held = simulation(robot, {0.5}, {0});
  EXPECT_THAT(report(held, "rail"), ElementsAre("Spring deflection: 0.2 m", "Spring force: -2 N",
                                                "Friction state: sticks", "Friction force: 0 N",
                                                "Constraint force: 2 N"));
  EXPECT_EQ(mode_report(held).value, "1 sticking");
  EXPECT_EQ(mode_report(held).help, "rail: friction sticks");
  Simulation sliding = simulation(robot, {0.5}, {-1});
  EXPECT_THAT(report(sliding, "rail"),
              ElementsAre("Spring deflection: 0.2 m", "Spring force: -2 N",
                          "Friction state: slips backward", "Friction force: -4 N",
                          "Constraint force: 0 N"));
  EXPECT_EQ(mode_report(sliding).value, "1 slipping");
}

// Checks a body that has turned by 0.5 rad about its y axis and moved by 2 m along x of the joint.
TEST(JointReport, ReportsTheSpringOfAFloatingJoint) {
  RobotDescription robot = slider();
  robot.links[0].joint = JointDescription{};
  robot.links[0].joint.name = "base";
  robot.links[0].joint.kind = JointKind::floating;
  robot.links[0].joint.spring = PoseSpring{10, 3, {}};
  Simulation s = simulation(robot, {2, 0, 0, std::cos(0.25), 0, std::sin(0.25), 0},
                            std::vector<double>(6, 0.0));
  const std::vector<std::string> lines = report(s, "base");
  const double e_x = 2 * std::cos(0.5), e_z = 2 * std::sin(0.5);
  EXPECT_THAT(lines, testing::IsSupersetOf({std::string("Spring deflection (wy): 0.5 rad"),
                                            std::string("Spring torque (wy): -5 N m"),
                                            fmt::format("Spring deflection (vx): {:.5g} m", e_x),
                                            fmt::format("Spring force (vz): {:.5g} N", -3 * e_z)}));
}

TEST(JointReport, DistinguishesMotorAndLinkFriction) {
  const Friction viscous{.law = Friction::Law::coulomb, .viscous = 2},
      ramp{.law = Friction::Law::piecewise_linear, .coulomb = 3, .transition = 0.5};
  Simulation both = simulation(
      slider_with({.friction = viscous, .motor = {.rotor_inertia = 1, .friction = ramp}}), {0},
      {1});
  EXPECT_THAT(report(both, "rail"),
              ElementsAre("Armature: 1 kg", "Friction state: slips forward",
                          "Motor friction state: slips forward", "Friction force: 5 N"));
  EXPECT_EQ(mode_report(both).value, "") << "neither can hold";
  Simulation motor = simulation(slider_with({.motor = {.friction = ramp}}), {0}, {0});
  EXPECT_THAT(report(motor, "rail"),
              ElementsAre("Motor friction state: at rest", "Friction force: 0 N"));
}

// Checks bristles of a_0 = 1e3 N/m in steady slip: their deflection is F_c / a_0.
TEST(JointReport, ReportsTheBristlesOfLugre) {
  Simulation s = simulation(slider_with({.friction = {.law = Friction::Law::lugre,
                                                      .coulomb = 2,
                                                      .breakaway = 2,
                                                      .bristle_stiffness = 1e3,
                                                      .bristle_damping = 10}}),
                            {0}, {1}, {2});
  while (s.time() < 0.5) s.step();
  EXPECT_THAT(report(s, "rail"), ElementsAre("Friction state: slips forward",
                                             "Bristle deflection: 0.002 m", "Friction force: 2 N"));
}

TEST(JointReport, ReportsTheStopThatIsReached) {
  RobotDescription robot = slider_with({.stop = Stop{}});
  robot.links[0].joint.lower = 0.25;
  robot.links[0].joint.upper = 0.75;
  Simulation pressed = simulation(robot, {0.25}, {0}, {-3});
  EXPECT_THAT(report(pressed, "rail"),
              ElementsAre("Stops: lower reached", "Constraint force: 3 N"));
  EXPECT_EQ(mode_report(pressed).value, "1 at a stop");
  EXPECT_EQ(mode_report(pressed).help, "rail: lower stop reached");
  Simulation above = simulation(robot, {0.75}, {0}, {3});
  EXPECT_THAT(report(above, "rail"), ElementsAre("Stops: upper reached", "Constraint force: -3 N"));
  Simulation between = simulation(robot, {0.5}, {0}, {-3});
  EXPECT_THAT(report(between, "rail"), ElementsAre("Stops: none reached", "Constraint force: 0 N"));
  EXPECT_EQ(mode_report(between).value, "none at a stop");
}

TEST(JointReport, CountsFrictionsAndStopsApart) {
  const Friction dry{.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 4};
  RobotDescription robot = slider_with({.motor = {.friction = dry}, .stop = Stop{}});
  robot.links[0].joint.lower = 0.25;
  Simulation between = simulation(robot, {0.5}, {0});
  EXPECT_EQ(report(between, "rail"),
            (std::vector<std::string>{"Motor friction state: sticks", "Stops: none reached",
                                      "Friction force: 0 N", "Constraint force: 0 N"}));
  EXPECT_EQ(mode_report(between).value, "1 sticking");
  Simulation pressed = simulation(robot, {0.25}, {0}, {-7});
  EXPECT_EQ(report(pressed, "rail")[1], "Stops: lower reached");
  EXPECT_THAT(mode_report(pressed).value, testing::HasSubstr(", 1 at a stop"));
}

// Checks the constraint q2 + 0.5 q1 = 0.3. Its torques at the two joints are 0.5 lambda and lambda.
TEST(JointReport, ReportsMimicJoints) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.links[1].joint.mimic = Mimic{"joint1", -0.5, 0.3};
  Simulation s = simulation(robot, {0, 0.3}, {0, 0}, {1, 0});
  EXPECT_THAT(report(s, "joint2"), ElementsAre("Mimics: -0.5 joint1 + 0.3",
                                               testing::MatchesRegex("Constraint torque: .* N m")));
  const double lambda = s.constraint()[1];
  EXPECT_NE(lambda, 0);
  EXPECT_NEAR(s.constraint()[0], 0.5 * lambda, 1e-14);
  EXPECT_THAT(report(s, "joint1"), ElementsAre(testing::MatchesRegex("Constraint torque: .* N m")));
  robot.links[1].joint.mimic = Mimic{"joint1", 1, -0.25};
  Simulation shifted = simulation(robot, {0.5, 0.25}, {0, 0});
  EXPECT_EQ(report(shifted, "joint2")[0], "Mimics: joint1 - 0.25");
}

TEST(JointReport, NamesTheColumnsOfAJointOfSeveral) {
  RobotDescription robot = slider();
  robot.links[0].joint.kind = JointKind::spherical;
  robot.links[0].joint.placement = ScrewPlacement{};
  robot.links[0].joint.damping = std::vector{0.0, 0.5, 0.0};
  Simulation s = simulation(robot, {1, 0, 0, 0}, {1, 2, 3});
  EXPECT_THAT(report(s, "rail"),
              ElementsAre("Damping (wy): 0.5 N m s/rad", "Friction torque (wy): 1 N m"));
}

// Checks a transmission that couples two motors and two joints. At rest one of its motors sticks,
// which is reported at joint 1.
TEST(JointReport, KnowsTheMotorsOfATransmission) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  const Friction dry{.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 3};
  robot.transmissions = {
      {.joints = {"joint1", "joint2"},
       .jacobian = {{1, 1}, {1, -1}},
       .motors = {{.rotor_inertia = 0.1, .friction = dry}, {.rotor_inertia = 0.1, .friction = {}}},
       .source = ""}};
  Simulation s = simulation(robot, {0, 1}, {0, 0});
  EXPECT_EQ(report(s, "joint1")[1], "Motor friction state: sticks");
  EXPECT_EQ(report(s, "joint2").size(), 3u)
      << "armature, friction torque and constraint: it feels that motor";
  EXPECT_EQ(mode_report(s).value, "1 sticking");
}

TEST(JointReport, ReportsWhyForcesAreMissing) {
  const Simulation s = simulation(slider(2), {0}, {1});
  const JointForces none{{}, {}, {}, "the mass matrix is singular"};
  EXPECT_THAT(texts(joint_report(s, none, s.model().joints[0])),
              ElementsAre("Damping: 2 N s/m", "Forces: the mass matrix is singular"));
}

}  // namespace
}  // namespace torsor::editor::test
