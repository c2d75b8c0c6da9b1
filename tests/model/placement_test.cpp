// Tests of the places of joints: screws and rows of DH tables, against closed forms of the poses.

#include <gtest/gtest.h>

#include "model/difference.hpp"
#include "model/world_pose.hpp"
#include "support/described_arm.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

// Returns the entries of a modified DH transform, written out for gamma = b = 0.
Pose<double> modified_dh(double alpha, double d, double theta, double r) {
  const double ca = std::cos(alpha), sa = std::sin(alpha), ct = std::cos(theta),
               st = std::sin(theta);
  return {{{ct, -st, 0, ca * st, ca * ct, -sa, sa * st, sa * ct, ca}}, {d, -r * sa, r * ca}};
}
// Returns the entries of a standard DH transform, written out.
Pose<double> standard_dh(double a, double alpha, double d, double theta) {
  const double ca = std::cos(alpha), sa = std::sin(alpha), ct = std::cos(theta),
               st = std::sin(theta);
  return {{{ct, -st * ca, st * sa, st, ct * ca, -ct * sa, 0, sa, ca}}, {a * ct, a * st, d}};
}

RobotDescription one_link(JointKind kind, decltype(JointDescription::placement) placement) {
  LinkDescription link;
  link.name = "link";
  link.joint.name = "joint";
  link.joint.kind = kind;
  link.joint.placement = placement;
  RobotDescription robot;
  robot.name = "one";
  robot.links = {link};
  return robot;
}

TEST(Placement, FourDescriptionsOfOneArmHaveThePosesOfTheTable) {
  Random random(31);
  for (const Description description : all_descriptions) {
    const auto model = build(described_arm(description));
    const std::vector<double> q = random_values(random, model->n_v, 2);
    Pose<double> expected = Pose<double>::identity();
    for (size_t i = 0; i < arm_rows.size(); ++i) {
      const auto& [alpha, d, theta, r, kind] = arm_rows[i];
      const bool turns = kind == JointKind::revolute;
      expected = expected * modified_dh(alpha, d, theta + (turns ? q[i] : 0), turns ? r : r + q[i]);
      const std::string frame = "at" + std::to_string(i + 1);
      EXPECT_LT(difference(world_pose(*model, q, frame.c_str()), expected), 1e-13)
          << "description " << int(description) << ", " << frame;
    }
  }
}

TEST(Placement, AStandardRowIsThatOfTheBook) {
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic}) {
    const auto model =
        build(one_link(kind, StandardDh{.a = 0.4, .alpha = 1.1, .d = -0.3, .theta = 0.7}));
    const double q = 0.8;
    const Pose<double> expected = kind == JointKind::revolute
                                      ? standard_dh(0.4, 1.1, -0.3, 0.7 + q)
                                      : standard_dh(0.4, 1.1, -0.3 + q, 0.7);
    EXPECT_LT(difference(world_pose(*model, {q}, "link"), expected), 1e-15);
  }
}

// Checks the two parameters of a branch: Rot(z, gamma) Trans(z, b) before the other four.
TEST(Placement, AModifiedRowOfABranch) {
  const double gamma = 0.9, b = 0.35;
  const ModifiedDh row{.alpha = -0.6, .d = 0.2, .theta = 0.4, .r = 0.5, .gamma = gamma, .b = b};
  const auto model = build(one_link(JointKind::revolute, row));
  const double q = -1.3;
  const Pose<double> branch = modified_dh(0, 0, gamma, b);
  EXPECT_LT(difference(world_pose(*model, {q}, "link"),
                       branch * modified_dh(row.alpha, row.d, row.theta + q, row.r)),
            1e-15);
}

// Checks that a spherical joint turns the link about its point, in the link's own axes:
// X_PL(q) = X_PL(0) Trans(y) R(q) Trans(-y).
TEST(Placement, ASphericalJointTurnsAboutItsPoint) {
  Random random(32);
  const Pose<double> X_PL = random.pose(1);
  const Vec3<double> y{0.3, -0.2, 0.6};
  const auto model =
      build(one_link(JointKind::spherical, ScrewPlacement{.X_PL = X_PL, .point = y}));
  const double half = 0.65;
  const std::vector<double> q{std::cos(half), 0, std::sin(half), 0};
  const double c = std::cos(2 * half), s = std::sin(2 * half);
  const Pose<double> turn{{{c, 0, s, 0, 1, 0, -s, 0, c}}, {0, 0, 0}};
  EXPECT_LT(difference(world_pose(*model, q, "link"),
                       X_PL * translation(y) * turn * translation(-1.0 * y)),
            1e-15);
}

TEST(Placement, AHelicalJointAdvancesByItsPitchPerRadian) {
  RobotDescription robot = one_link(JointKind::helical, ScrewPlacement{.axis = {0, 2, 0}});
  robot.links[0].joint.pitch = 0.3;
  const double q = 1.5;
  const Pose<double> X = world_pose(*build(robot), {q}, "link");
  EXPECT_NEAR(X.p.y, 0.3 * q, 1e-15);
  EXPECT_NEAR(X.R(2, 0), -std::sin(q), 1e-15);
}

// Checks a universal joint, described in its link or at home, against the product of two turns
// about the lines through its point: first about the axis a of the parent, then about b of the
// link.
TEST(Placement, AUniversalJointTurnsAboutItsTwoAxes) {
  Random random(33);
  const Vec3<double> a{0, 0, 2}, b{0.5, 0, 0.5}, y{0.1, 0.2, -0.4};
  const std::vector<double> q{0.7, -1.1};
  const auto turn = [](const Vec3<double>& axis, double angle) {
    return Pose<double>{exp_so3((angle / norm(axis)) * axis), {0, 0, 0}};
  };
  const Pose<double> X_PL = random.pose(1),
                     moved = translation(y) * turn(a, q[0]) * turn(b, q[1]) * translation(-1.0 * y);
  for (const bool at_home : {false, true}) {
    ScrewPlacement screw{.X_PL = X_PL, .axis = a, .point = y, .at_home = at_home};
    Vec3<double> second = b;
    if (at_home) {
      screw.axis = X_PL.R * a;
      screw.point = X_PL * y;
      second = X_PL.R * b;
    }
    RobotDescription robot = one_link(JointKind::revolute, screw);
    robot.links[0].joint.second_axis = second;
    EXPECT_LT(difference(world_pose(*build(robot), q, "link"), X_PL * moved), 1e-14) << at_home;
  }
}

TEST(Placement, AFrameOfTheUserMovesWithItsLink) {
  Random random(34);
  RobotDescription robot =
      one_link(JointKind::revolute,
               ScrewPlacement{.X_PL = random.pose(1), .axis = {1, 1, 0}, .point = {0, 0.3, 0.1}});
  const Pose<double> X_LF = random.pose(1);
  robot.frames.push_back({"tool", "link", X_LF, ""});
  const auto model = build(robot);
  for (const double q : {0.0, 0.6})
    EXPECT_LT(difference(world_pose(*model, {q}, "tool"), world_pose(*model, {q}, "link") * X_LF),
              1e-15);
}

}  // namespace
}  // namespace torsor::test
