// Tests of robot parameters: put into a description, and written into a URDF file.

#include "torsor/formats/robot_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/urdf_file.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path urdf =
    std::filesystem::path(TORSOR_SOURCE_DIR) / "scenes/urdf_arm.urdf";

void expect_inertia(const SpatialInertia<double>& a, const SpatialInertia<double>& b) {
  const double x[] = {a.m, a.h.x, a.h.y, a.h.z, a.I.xx, a.I.yy, a.I.zz, a.I.xy, a.I.xz, a.I.yz},
               y[] = {b.m, b.h.x, b.h.y, b.h.z, b.I.xx, b.I.yy, b.I.zz, b.I.xy, b.I.xz, b.I.yz};
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(x[k], y[k], 1e-12 * (1 + std::abs(y[k]))) << k;
}

// The file that is read again has the new values, and everything else of the old file.
TEST(RobotParameters, AreWrittenIntoUrdf) {
  const RobotDescription old = read_robot_file(urdf);
  RobotParameters parameters;
  Random random(3);
  for (const LinkDescription& link : old.links)
    if (link.joint.kind != JointKind::fixed) {
      parameters.links.push_back({link.name, random_inertia(random, 0.3, 2)});
      parameters.joints.push_back({link.joint.name, 0, std::nullopt, 0.25, 0.5});
    }
  ASSERT_GE(parameters.links.size(), 2u);
  const auto file = std::filesystem::temp_directory_path() / "torsor_parameters_test.urdf";
  write_file(file, urdf_with_parameters(urdf, parameters));
  const RobotDescription now = read_robot_file(file);
  std::filesystem::remove(file);
  ASSERT_EQ(now.links.size(), old.links.size());
  size_t moving = 0;
  for (size_t k = 0; k < now.links.size(); ++k) {
    EXPECT_EQ(now.links[k].name, old.links[k].name);
    EXPECT_EQ(now.links[k].visuals.size(), old.links[k].visuals.size());
    const JointDescription& joint = now.links[k].joint;
    if (joint.kind == JointKind::fixed) {
      expect_inertia(now.links[k].inertia, old.links[k].inertia);
      continue;
    }
    expect_inertia(now.links[k].inertia, parameters.links[moving++].inertia_L);
    EXPECT_EQ(joint.damping.of(0), 0.25);
    EXPECT_EQ(joint.drives.at(0).friction.coulomb, 0.5);
  }
  parameters.links[0].link = "nobody";
  EXPECT_THAT(error_of([&] { urdf_with_parameters(urdf, parameters); }),
              HasSubstr("urdf_arm.urdf: has no link 'nobody'"));
  EXPECT_THAT(error_of([&] { urdf_with_parameters("nowhere.urdf", parameters); }),
              HasSubstr("nowhere.urdf"));
}

// The rotor inertia and friction of a joint with a geared motor become those that are given.
TEST(RobotParameters, AreAppliedToGearedMotors) {
  RobotDescription robot = random_robot(2, Shape::chain, 1, {JointKind::revolute});
  std::string name;
  for (LinkDescription& link : robot.links) {
    if (link.joint.kind == JointKind::fixed) continue;
    name = link.joint.name;
    link.joint.drives = {Drive{}};
    Motor& motor = link.joint.drives[0].motor;
    motor.rotor_inertia = 1e-4;
    motor.gear_ratio = 100;
    motor.friction = {.law = Friction::Law::coulomb, .viscous = 1, .coulomb = 2, .breakaway = 2};
  }
  apply({{}, {{name, 0, 3.0, 0.7, 0.9}}}, robot);
  const auto model = build(robot);
  const int dof = model->joints[size_t(model->joint(name))].v_index;
  EXPECT_NEAR(model->armature[size_t(dof)], 3, 1e-12);
  const Model::LinearFriction friction = model->linear_friction(dof);
  EXPECT_NEAR(friction.viscous, 0.7, 1e-15);
  EXPECT_NEAR(friction.coulomb, 0.9, 1e-15);
  EXPECT_EQ(error_of([&] {
              apply({{}, {{"elbow", 0, 3.0, {}, {}}}}, robot);
            }),
            "robot '" + robot.name + "' has no moving joint 'elbow'");
  const auto error = [&](const RobotParameters& parameters) {
    return error_of([&] { apply(parameters, robot); });
  };
  EXPECT_EQ(error({{}, {{name, 1, 3.0, {}, {}}}}),
            "joint '" + name + "' has no dof 2; it is revolute and has 1 dof");
  EXPECT_EQ(error({{}, {{name, 0, {}, {}, {}}}}),
            "dof 1 of joint '" + name + "' has no value; give armature, viscous or coulomb");
  EXPECT_EQ(error({{}, {{name, 0, 3.0, {}, {}}, {name, 0, {}, 1.0, {}}}}),
            "dof 1 of joint '" + name + "' occurs twice; give it once");
  const RobotParameters::LinkInertia twice{robot.links[0].name, robot.links[0].inertia};
  EXPECT_EQ(error({{twice, twice}, {}}), "link '" + twice.link + "' occurs twice; give it once");
  for (LinkDescription& link : robot.links)
    if (link.joint.name == name)
      link.joint.drives[0].friction = {
          .law = Friction::Law::stribeck, .coulomb = 1, .breakaway = 2};
  EXPECT_THAT(
      error_of([&] {
        apply({{}, {{name, 0, {}, 1.0, 1.0}}}, robot);
      }),
      HasSubstr("has the friction law stribeck, which viscous and Coulomb friction do not"));
}

}  // namespace
}  // namespace torsor::test
