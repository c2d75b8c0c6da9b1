// Tests of what the builder makes of drives: armature, mimic joints, transmissions, rotors that are
// bodies, and the two joints of a universal joint.

#include "torsor/model/drive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/difference.hpp"
#include "model/world_pose.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

LinkDescription link(const std::string& name, const std::string& parent,
                     JointKind kind = JointKind::revolute) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.name = name + "_joint";
  out.joint.kind = kind;
  out.inertia = inertia_about_com(1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  return out;
}
RobotDescription chain(std::vector<LinkDescription> links) {
  RobotDescription robot;
  robot.name = "chain";
  robot.links = std::move(links);
  return robot;
}

TEST(Drives, ArmatureAndDampingOfEachDof) {
  LinkDescription ball = link("ball", "", JointKind::spherical);
  ball.joint.armature = std::vector<double>{1, 2, 3};
  ball.joint.damping = std::vector<double>{4, 5, 6};
  const auto model = build(chain({ball}));
  EXPECT_THAT(model->armature, ElementsAre(1, 2, 3));
  EXPECT_THAT(model->damping, ElementsAre(4, 5, 6));
}

// The rotor of a rigid drive adds N^2 J_m (KHALIL 7.29). That of an elastic drive moves by itself.
TEST(Drives, OnlyRotorsOfRigidDrivesAddArmature) {
  LinkDescription rigid = link("rigid", ""), elastic = link("elastic", "rigid");
  Drive drive;
  drive.motor.rotor_inertia = 1e-3;
  drive.motor.gear_ratio = 20;
  rigid.joint.drives = {drive};
  drive.elasticity = Elasticity{.stiffness = 100};
  elastic.joint.drives = {drive};
  elastic.joint.armature = 0.25;
  const auto model = build(chain({rigid, elastic}));
  EXPECT_THAT(model->armature, ElementsAre(DoubleNear(0.4, 1e-15), 0.25));
  EXPECT_TRUE(model->is_driven_rigidly(0));
  EXPECT_FALSE(model->is_driven_rigidly(1));
}

TEST(Drives, MotorsByDefault) {
  for (const bool at_base : {true, false}) {
    EXPECT_TRUE(has_motors_by_default(JointKind::revolute, at_base));
    EXPECT_TRUE(has_motors_by_default(JointKind::cylindrical, at_base));
    EXPECT_EQ(has_motors_by_default(JointKind::spherical, at_base), !at_base);
    EXPECT_EQ(has_motors_by_default(JointKind::planar, at_base), !at_base);
    EXPECT_FALSE(has_motors_by_default(JointKind::floating, at_base));
  }
}

// Checks which entry of q has a dof as its rate. The other joint shifts the entries.
TEST(Drives, CoordinatesOfDofs) {
  const auto model =
      build(chain({link("hinge", ""), link("plane", "", JointKind::planar),
                   link("tube", "", JointKind::cylindrical), link("ball", "", JointKind::spherical),
                   link("base", "", JointKind::floating)}));
  EXPECT_THAT(model->coordinate,
              ElementsAre(0, 3, -1, -1, 4, 5, -1, -1, -1, -1, -1, -1, -1, -1, -1));
}

// Joints with several dof have maps instead of a turn and a pitch.
TEST(Drives, TurnAndPitchOfJointsWithOneDof) {
  LinkDescription screw = link("screw", "", JointKind::helical);
  screw.joint.pitch = 0.2;
  const auto model = build(
      chain({link("hinge", ""), link("slide", "", JointKind::prismatic), screw,
             link("tube", "", JointKind::cylindrical), link("plane", "", JointKind::planar)}));
  EXPECT_THAT(model->turn, ElementsAre(0, 1, 0, 1, 0, 0));
  EXPECT_THAT(model->pitch, ElementsAre(0, 0, 1, 0.2, 0, 0));
  ASSERT_EQ(model->mapped.size(), 2u);
  EXPECT_EQ(model->mapped[0].body, 4);
  EXPECT_EQ(model->mapped[1].body, 5);
}

// Checks a chain of mimic joints that the description lists before the joint that they follow:
// last = 3 middle + 0.5, middle = -2 first + 0.1.
TEST(Mimics, AChainFollowsItsFirstJoint) {
  LinkDescription last = link("last", ""), middle = link("middle", ""), first = link("first", "");
  last.joint.mimic = Mimic{"middle_joint", 3, 0.5};
  middle.joint.mimic = Mimic{"first_joint", -2, 0.1};
  const auto model = build(chain({last, middle, first}));
  std::vector<double> q{9, 9, 0.7}, v{9, 9, 1.5};
  follow_mimics(*model, q, v);
  EXPECT_THAT(q, ElementsAre(DoubleNear(3 * -1.3 + 0.5, 1e-15), DoubleNear(-1.3, 1e-15), 0.7));
  EXPECT_THAT(v, ElementsAre(DoubleNear(-9, 1e-15), DoubleNear(-3, 1e-15), 1.5));
}

TEST(Mimics, JointsOfSeveralDofAreErrors) {
  LinkDescription hinge = link("hinge", "");
  hinge.joint.mimic = Mimic{"ball_joint", 1, 0};
  EXPECT_THAT(error_of([&] {
                build(chain({hinge, link("ball", "", JointKind::spherical)}));
              }),
              HasSubstr("both must be joints of one degree of freedom"));
}

// KHALIL 7.31-7.33 for two motors and J_qm = [1/50 0; -1/40 1/40]. The rates of the motors are
// therefore v_m = (50 v_1, 50 v_1 + 40 v_2).
class Coupled : public testing::Test {
 protected:
  Coupled() {
    RobotDescription robot = chain({link("upper", ""), link("lower", "upper"), link("hand", "")});
    Drive geared;
    geared.motor.gear_ratio = 4;
    robot.links[2].joint.drives = {geared};
    robot.transmissions = {{.joints = {"upper_joint", "lower_joint"},
                            .jacobian = {{0.02, 0}, {-0.025, 0.025}},
                            .motors = std::vector<Motor>(2),
                            .source = ""}};
    robot.transmissions[0].motors[0].rotor_inertia = 1e-3;
    robot.transmissions[0].motors[1].rotor_inertia = 2e-3;
    model = build(robot);
  }
  std::shared_ptr<const Model> model;
};

// The kinetic energy of the rotors, 1e-3 (50 v_1)^2 / 2 + 2e-3 (50 v_1 + 40 v_2)^2 / 2, is
// v^T A v / 2 with A = [7.5 4; 4 3.2].
TEST_F(Coupled, ArmatureIsThatOfTheRotors) {
  EXPECT_THAT(model->armature, ElementsAre(DoubleNear(7.5, 1e-13), DoubleNear(3.2, 1e-13), 0));
  const Transmission& group = model->transmissions.at(0);
  EXPECT_NEAR(group.armature(0, 1), 4, 1e-13);
  EXPECT_NEAR(group.armature(1, 0), 4, 1e-13);
}

// The power of the joints is that of the motors: tau^T v = tau_m^T v_m.
TEST_F(Coupled, TorquesHaveThePowerOfTheMotors) {
  const std::vector<double> motor_tau{0.3, -0.2, 0.5};
  std::vector<double> tau{1, 1, 1};
  const Transmissions transmissions(model);
  transmissions.add_motor_torques(motor_tau, tau);
  EXPECT_THAT(tau, ElementsAre(DoubleNear(1 + 0.3 * 50 - 0.2 * 50, 1e-14),
                               DoubleNear(1 - 0.2 * 40, 1e-14), DoubleNear(1 + 0.5 * 4, 1e-15)));
  std::vector<double> back(3);
  for (double& entry : tau) entry -= 1;
  transmissions.motor_torques(tau, back);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(back[k], motor_tau[k], 1e-15);
}

TEST(Universal, EachAxisHasItsOwnDrive) {
  LinkDescription ankle = link("foot", "");
  ankle.joint.second_axis = Vec3<double>{1, 0, 0};
  ankle.joint.armature = std::vector<double>{0.1, 0.2};
  ankle.joint.damping = std::vector<double>{0.3, 0.4};
  RobotDescription robot = chain({ankle, link("knee", "")});
  robot.dof_order = {"knee_joint", "foot_joint"};
  const auto model = build(robot);
  EXPECT_THAT(model->dof_names(), ElementsAre("knee_joint", "foot_joint_1", "foot_joint_2"));
  EXPECT_THAT(model->armature, ElementsAre(0, 0.1, 0.2));
  EXPECT_THAT(model->damping, ElementsAre(0, 0.3, 0.4));
}

// Returns a link whose motor is a body with J_m = 2e-3 and N = 30, on an axis along (2, 0, 2).
LinkDescription link_with_rotor(bool elastic) {
  LinkDescription arm = link("arm", "base");
  arm.joint.placement = ScrewPlacement{.axis = {2, 0, 2}, .point = {0, 0.5, 0}};
  Drive drive;
  drive.motor.rotor_inertia = 2e-3;
  drive.motor.gear_ratio = 30;
  drive.motor.body = true;
  if (elastic) drive.elasticity = Elasticity{.stiffness = 500};
  arm.joint.drives = {drive};
  return arm;
}

TEST(RotorBodies, TheRotorTurnsWithTheGearRatio) {
  RobotDescription robot = chain({link("base", ""), link_with_rotor(false)});
  const auto model = build(robot);
  EXPECT_THAT(model->dof_names(), ElementsAre("base_joint", "arm_joint", "arm_joint_rotor"));
  EXPECT_THAT(model->armature, ElementsAre(0, 0, 0));
  ASSERT_EQ(model->mimics.size(), 1u);
  EXPECT_EQ(model->mimics[0].dof, 2);
  EXPECT_EQ(model->mimics[0].of_dof, 1);
  EXPECT_EQ(model->mimics[0].ratio, 30);
  const Link& rotor = model->links[2];
  EXPECT_EQ(model->links[size_t(rotor.parent)].name, "base");
  // J e e^T with e = (1, 0, 1) / sqrt(2)
  EXPECT_LT(difference(rotor.inertia_L, {0, {0, 0, 0}, {1e-3, 0, 1e-3, 0, 1e-3, 0}}), 1e-18);
}

TEST(RotorBodies, ASpringConnectsAnElasticRotorToItsJoint) {
  const auto model = build(chain({link("base", ""), link_with_rotor(true)}));
  EXPECT_TRUE(model->mimics.empty());
  ASSERT_EQ(model->elastic_rotors.size(), 1u);
  const ElasticRotor& rotor = model->elastic_rotors[0];
  EXPECT_EQ(rotor.dof, 1);
  EXPECT_EQ(rotor.rotor_dof, 2);
  EXPECT_EQ(rotor.ratio, 30);
  EXPECT_EQ(rotor.elasticity.stiffness, 500);
  EXPECT_THAT(model->armature, ElementsAre(0, 0, 0));
  EXPECT_FALSE(model->is_driven_rigidly(1));
}

// The friction of a joint is that of its link side and of a motor that drives it rigidly.
TEST(Drives, LinearFrictionAddsTheMotorsToTheJoints) {
  LinkDescription arm = link("arm", "");
  arm.joint.damping = 0.5;
  Drive drive;
  drive.motor.rotor_inertia = 1e-3;
  drive.friction = {.law = Friction::Law::coulomb, .viscous = 1, .coulomb = 2, .breakaway = 2};
  drive.motor.friction = {
      .law = Friction::Law::coulomb, .viscous = 3, .coulomb = 4, .breakaway = 5};
  arm.joint.drives = {drive};
  const Model::LinearFriction rigid = build(chain({arm}))->linear_friction(0);
  EXPECT_EQ(rigid.viscous, 4.5);
  EXPECT_EQ(rigid.coulomb, 6);
  EXPECT_EQ(rigid.other_law, nullptr);
  arm.joint.drives[0].elasticity = Elasticity{.stiffness = 100};
  arm.joint.drives[0].friction.law = Friction::Law::stribeck;
  arm.joint.drives[0].friction.decay = 10;
  const auto model = build(chain({arm}));
  const Model::LinearFriction elastic = model->linear_friction(0);
  EXPECT_EQ(elastic.other_law, &model->drives[0].friction);
}

TEST(Amplifier, RangeIsThatOfCurrentAndVoltage) {
  Motor motor;
  motor.torque_constant = 0.1, motor.amplifier_gain = 2, motor.resistance = 2;
  motor.max_current = 5, motor.max_voltage = 20;
  const auto expect_range = [&](double rate, double lower, double upper) {
    const TorqueRange range = amplifier_range(motor, rate);
    EXPECT_NEAR(range.lower, lower, 1e-15);
    EXPECT_NEAR(range.upper, upper, 1e-15);
  };
  expect_range(0, -0.5, 0.5);
  expect_range(150, -0.5, 0.05 * (20 - 15));
  expect_range(-150, -0.25, 0.5);
  expect_range(250, -0.5, -0.25);
  motor.max_input = 1.5;
  expect_range(0, -0.3, 0.3);
}

TEST(StiffnessMatrix, HasItsDiagonalInTheDrives) {
  RobotDescription robot;
  robot.name = "arm";
  for (const char* name : {"a", "b"}) {
    LinkDescription& added =
        robot.links.emplace_back(link(name, robot.links.empty() ? "" : robot.links.back().name));
    added.joint.drives = {{.motor = {.rotor_inertia = 0.1, .friction = {}}}};
  }
  const std::vector<std::string> joints{robot.links[0].joint.name, robot.links[1].joint.name};
  robot.stiffnesses = {{.joints = joints, .matrix = {{4, 1}, {1, 2}}, .damping = {0.5, 0.6}}};
  const auto model = build(robot);
  EXPECT_EQ(model->drives[0].elasticity->stiffness, 4);
  EXPECT_EQ(model->drives[1].elasticity->damping, 0.6);
  ASSERT_EQ(model->stiffness_couplings.size(), 1u);
  EXPECT_EQ(model->stiffness_couplings[0].stiffness, 1);
  robot.stiffnesses[0].matrix = {{1, 2}, {2, 1}};
  EXPECT_THROW((void)build(robot), Error);
}

// The torque J_m W Wdot v of a rotor with W = 1 / (1 + q): Wdot = -v / (1 + q)^2.
TEST(VaryingTransmission, CoriolisTorqueIsThatOfTheRate) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {link("a", "")};
  robot.transmissions = {{.joints = {robot.links[0].joint.name},
                          .jacobian = {},
                          .motors = {{.rotor_inertia = 0.3, .friction = {}}},
                          .source = "",
                          .law = make_law({{JacobianEntry::polynomial(0, {1, 1})}})}};
  Transmissions transmissions(build(robot));
  transmissions.evaluate(std::vector<double>{1}, std::vector<double>{2});
  double tau = 0;
  transmissions.add_rotor_coriolis(&tau);
  EXPECT_NEAR(tau, 0.3 * 0.5 * (-4.0 / 4), 1e-15);
  EXPECT_NEAR(transmissions.rotor_energy(), 0.5 * 0.3 * 1, 1e-15);
}

// The rate of the momentum W^T J_m W v of two rotors, at constant v, against its difference.
TEST(VaryingTransmission, MomentumRateIsThatOfItsInertia) {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {link("a", "")};
  robot.links.push_back(link("b", robot.links[0].name));
  const auto entry = [](size_t of, std::vector<double> c) {
    return JacobianEntry::polynomial(of, std::move(c));
  };
  robot.transmissions = {
      {.joints = {robot.links[0].joint.name, robot.links[1].joint.name},
       .jacobian = {},
       .motors = {{.rotor_inertia = 0.3, .friction = {}}, {.rotor_inertia = 0.2, .friction = {}}},
       .source = "",
       .law = make_law({{entry(0, {2, 1}), entry(1, {0.3, 0.5})},
                        {entry(1, {0.1, -0.4}), entry(1, {1, 0, 1})}})}};
  Transmissions transmissions(build(robot));
  const std::vector<double> v{0.7, -1.2};
  const auto momentum = [&](double time) {
    std::vector<double> p(2, 0.0);
    transmissions.evaluate(std::vector<double>{0.4 + time * v[0], 0.2 + time * v[1]}, v);
    transmissions.add_rotor_inertia(v.data(), p.data());
    return p;
  };
  const double h = 1e-4;
  const std::vector<double> before = momentum(-h), after = momentum(h);
  (void)momentum(0);
  std::vector<double> rate(2, 0.0);
  transmissions.add_rotor_momentum_rate(rate.data());
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(rate[i], (after[i] - before[i]) / (2 * h), 1e-7);
}

// The natural spline through (0, 0), (1, 1), (2, 0) has the curvature -3 at its middle node.
TEST(VaryingTransmission, SplineHasItsClosedForm) {
  const JacobianEntry spline = JacobianEntry::table(0, {0, 1, 2}, {0, 1, 0});
  EXPECT_NEAR(spline.at(0).second, 1.5, 1e-15);
  EXPECT_NEAR(spline.at(0.5).first, 0.6875, 1e-15);
  EXPECT_NEAR(spline.at(0.5).second, 1.125, 1e-15);
  EXPECT_NEAR(spline.at(1).second, 0, 1e-15);
  EXPECT_TRUE(std::isnan(spline.at(2.1).first));
}

}  // namespace
}  // namespace torsor::test
