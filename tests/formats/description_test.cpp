// Tests of screws, standard DH rows and modified DH rows, against closed forms and against each
// other.

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "support/described_arm.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double rounding = 2e-14;

Isometry3d turn(const Vector3d& axis, double angle) {
  return Isometry3d(Eigen::AngleAxisd(angle, axis));
}
Isometry3d shift(double x, double y, double z) {
  return Isometry3d(Eigen::Translation3d(x, y, z));
}
Isometry3d eigen(const Pose<double>& X) {
  Isometry3d out = Isometry3d::Identity();
  for (int k = 0; k < 9; ++k) out.linear()(k / 3, k % 3) = X.R.m[k];
  out.translation() = Vector3d(X.p.x, X.p.y, X.p.z);
  return out;
}
const Vector3d x = Vector3d::UnitX(), z = Vector3d::UnitZ();

// Returns the pose of a frame in the world, at the position q.
Isometry3d pose_of(const Model& model, const std::vector<double>& q, const std::string& frame) {
  std::vector<double> scratch(pose_scratch(model));
  std::vector<Pose<double>> X_PB(size_t(model.n_body));
  evaluate_poses(model, q.data(), scratch.data(), X_PB.data());
  const Frame& at = model.frames[size_t(model.frame(frame))];
  Pose<double> X = at.X_BF;
  for (int i = at.body; i > 0; i = model.parent[size_t(i)]) X = X_PB[size_t(i)] * X;
  return eigen(X);
}

void expect_same(const Isometry3d& actual, const Isometry3d& expected) {
  EXPECT_LT((actual.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), rounding)
      << actual.matrix();
}

LinkDescription link(JointKind kind, decltype(JointDescription::placement) placement) {
  LinkDescription out;
  out.name = "link";
  out.joint = {.name = "joint", .kind = kind, .placement = placement};
  return out;
}
RobotDescription one(const LinkDescription& only) {
  RobotDescription robot;
  robot.name = "one";
  robot.links = {only};
  return robot;
}

// Checks KHALIL's order Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z,
// r). The joint coordinate is added to theta or r.
TEST(ModifiedDh, ClosedForm) {
  const ModifiedDh row{.alpha = 0.3, .d = -0.4, .theta = 0.5, .r = 0.6, .gamma = -0.7, .b = 0.8};
  for (const double q : {0.0, 0.9, -2.0}) {
    const Isometry3d before = turn(z, -0.7) * shift(0, 0, 0.8) * turn(x, 0.3) * shift(-0.4, 0, 0);
    expect_same(pose_of(*build(one(link(JointKind::revolute, row))), {q}, "link"),
                before * turn(z, 0.5 + q) * shift(0, 0, 0.6));
    expect_same(pose_of(*build(one(link(JointKind::prismatic, row))), {q}, "link"),
                before * turn(z, 0.5) * shift(0, 0, 0.6 + q));
  }
  LinkDescription fixed = link(JointKind::fixed, row);
  expect_same(pose_of(*build(one(fixed)), {}, "link"), turn(z, -0.7) * shift(0, 0, 0.8) *
                                                           turn(x, 0.3) * shift(-0.4, 0, 0) *
                                                           turn(z, 0.5) * shift(0, 0, 0.6));
}

// Checks the order Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha). The joint coordinate is
// added to theta or d.
TEST(StandardDh, ClosedForm) {
  const StandardDh row{.a = 0.3, .alpha = -0.4, .d = 0.5, .theta = 0.6};
  for (const double q : {0.0, 0.9, -2.0}) {
    const Isometry3d after = shift(0.3, 0, 0) * turn(x, -0.4);
    expect_same(pose_of(*build(one(link(JointKind::revolute, row))), {q}, "link"),
                turn(z, 0.6 + q) * shift(0, 0, 0.5) * after);
    expect_same(pose_of(*build(one(link(JointKind::prismatic, row))), {q}, "link"),
                turn(z, 0.6) * shift(0, 0, 0.5 + q) * after);
  }
}

// Checks X_PL(q) = X_PL(0) exp(S q) with the screw S = (e, -e x y + h e) of a helical joint, and
// the screws of revolute and prismatic joints. y is a point on the axis, e the unit vector and h
// the pitch (MK 6).
// Equations: MK 7.
TEST(Screw, IsTheExponentialOfItsScrew) {
  Random random(1);
  for (const Vec3<double>& axis : {Vec3<double>{0, 0, 1}, Vec3<double>{0, 0, -3},
                                   Vec3<double>{1, 2, -2}, Vec3<double>{1e-9, 0, -1}}) {
    const Vec3<double> e = (1 / norm(axis)) * axis;
    const ScrewPlacement screw{.X_PL = random.pose(1), .axis = axis, .point = random.vector(1)};
    const double q = random.uniform(-3, 3), h = 0.2;
    const Vec3<double> v = cross(screw.point, e);
    const auto expected = [&](const Twist<double>& S) {
      return eigen(screw.X_PL * exp_se3(q * S));
    };
    expect_same(pose_of(*build(one(link(JointKind::revolute, screw))), {q}, "link"),
                expected({e, v}));
    expect_same(pose_of(*build(one(link(JointKind::prismatic, screw))), {q}, "link"),
                expected({{0, 0, 0}, e}));
    LinkDescription helical = link(JointKind::helical, screw);
    helical.joint.pitch = h;
    expect_same(pose_of(*build(one(helical)), {q}, "link"), expected({e, v + h * e}));
  }
}

// Checks that all descriptions give the poses of the same arm, the products of its six modified DH
// rows.
// Equations: MR 9.38, 9.39, 9.40, 9.51.
TEST(Descriptions, GiveTheSamePoses) {
  Random random(2);
  for (const Description description : all_descriptions) {
    const auto model = build(described_arm(description));
    for (int sample = 0; sample < 5; ++sample) {
      const std::vector<double> q = random_values(random, 6, 3);
      Isometry3d expected = Isometry3d::Identity();
      for (size_t i = 0; i < 6; ++i) {
        const DhRow& row = arm_rows[i];
        const bool slides = row.kind == JointKind::prismatic;
        expected = expected * turn(x, row.alpha) * shift(row.d, 0, 0) *
                   turn(z, row.theta + (slides ? 0 : q[i])) *
                   shift(0, 0, row.r + (slides ? q[i] : 0));
        expect_same(pose_of(*model, q, "at" + std::to_string(i + 1)), expected);
      }
    }
  }
}

// Checks that poses and screws at home are relative to the robot's base, at any place of the base
// in the world.
TEST(Descriptions, AtHomeMeansInTheRobotsBase) {
  Random random(3);
  const Pose<double> X_WR = random.pose(2);
  ModelBuilder world;
  world.add(described_arm(Description::screws_at_home), X_WR);
  const auto moved = world.build(), plain = build(described_arm(Description::modified_dh));
  const std::vector<double> q = random_values(random, 6, 3);
  for (const std::string frame : {"at1", "at3", "at6"})
    expect_same(pose_of(*moved, q, frame), eigen(X_WR) * pose_of(*plain, q, frame));
}

}  // namespace
}  // namespace torsor::test
