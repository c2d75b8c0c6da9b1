// Tests of the springs of spherical and floating joints: forces and their rates against differences
// of the energy and of the forces, and the checks of the builder.

#include "torsor/model/pose_spring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/error_of.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/random.hpp"

namespace torsor::test::pose_spring {
namespace {

using testing::HasSubstr;
using List = std::vector<double>;

LinkDescription link(const std::string& name, const std::string& parent, JointKind kind) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.name = name + "_joint";
  out.joint.kind = kind;
  out.inertia = inertia_about_com(1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
  return out;
}
RobotDescription robot_of(std::vector<LinkDescription> links) {
  RobotDescription robot;
  robot.name = "robot";
  robot.links = std::move(links);
  return robot;
}

// Returns a floating base and, behind a hinge, a ball, both with springs. The quaternions of the
// rest positions have norm 1 up to 0.1 %, which the builder accepts.
std::shared_ptr<const Model> sprung() {
  LinkDescription base = link("base", "", JointKind::floating),
                  arm = link("arm", "base", JointKind::revolute),
                  ball = link("ball", "arm", JointKind::spherical);
  base.joint.spring = PoseSpring{3, 5, {0.3, -0.2, 0.5, 0.8008, 0, 0.6006, 0}};
  ball.joint.spring = PoseSpring{2, 0, {-0.5, 0.5, 0.5, 0.5}};
  return build(robot_of({base, arm, ball}));
}

List random_position(const Model& model, Random& random, double size) {
  List d(size_t(model.n_v)), q(size_t(model.n_q));
  for (double& x : d) x = random.uniform(-size, size);
  integrate(model, neutral(model).data(), d.data(), 1, q.data());
  return q;
}
double energy(const Model& model, const List& q) {
  double out = 0;
  for (const PoseSpringElement& spring : pose_springs(model)) out += spring.energy(q.data());
  return out;
}
List force(const Model& model, const List& q) {
  List out(size_t(model.n_v));
  for (const PoseSpringElement& spring : pose_springs(model))
    spring.add_force(q.data(), -1, out.data());
  return out;
}
// Returns q (+) (h v + h^2 vdot / 2): the motion with these rates, up to terms of third order.
List moved(const Model& model, const List& q, const List& v, const List& vdot, double h) {
  List d(v.size()), out(q.size());
  for (size_t k = 0; k < d.size(); ++k) d[k] = h * v[k] + h * h / 2 * vdot[k];
  integrate(model, q.data(), d.data(), 1, out.data());
  return out;
}

TEST(PoseSpring, ForceIsTheNegativeGradientOfTheEnergy) {
  const auto model = sprung();
  Random random(1);
  const double h = 1e-5;
  for (int sample = 0; sample < 50; ++sample) {
    const List q = random_position(*model, random, sample < 10 ? 1e-3 : 1.5), f = force(*model, q),
               none(size_t(model->n_v));
    for (size_t k = 0; k < f.size(); ++k) {
      List v = none;
      v[k] = 1;
      const double slope = (energy(*model, moved(*model, q, v, none, h)) -
                            energy(*model, moved(*model, q, v, none, -h))) /
                           (2 * h);
      EXPECT_NEAR(f[k], -slope, 1e-8) << "dof " << k;  // error of differences: 50 J h^2
    }
  }
}

TEST(PoseSpring, RatesAreTheDerivativesOfTheForce) {
  const auto model = sprung();
  Random random(2);
  const double h = 1e-4;
  for (int sample = 0; sample < 20; ++sample) {
    const List q = random_position(*model, random, sample < 5 ? 1e-3 : 1.2);
    List v(size_t(model->n_v)), vdot = v, first = v, second = v;
    for (List* list : {&v, &vdot})
      for (double& x : *list) x = random.uniform(-1, 1);
    for (const PoseSpringElement& spring : pose_springs(*model))
      spring.add_force_rates(q.data(), v.data(), vdot.data(), first.data(), second.data());
    const List a = force(*model, moved(*model, q, v, vdot, -h)), b = force(*model, q),
               c = force(*model, moved(*model, q, v, vdot, h));
    for (size_t k = 0; k < v.size(); ++k) {
      EXPECT_NEAR(first[k], -(c[k] - a[k]) / (2 * h), 1e-5) << "dof " << k;
      EXPECT_NEAR(second[k], -(c[k] - 2 * b[k] + a[k]) / (h * h), 1e-5) << "dof " << k;
    }
  }
}

// Checks the closed form for a turn by 2 rad about one axis after the rest position, and for a
// force that is along the line to the rest position in the axes of the joint.
TEST(PoseSpring, HasTheForceOfTheDeflection) {
  const auto model = sprung();
  const Quaternion rest{-0.5, 0.5, 0.5, 0.5}, r = rest * exp_quaternion(Vec3<double>{0, 2, 0});
  List q = neutral(*model);
  const int ball = model->joints[size_t(model->joint("ball_joint"))].q_index;
  for (const auto& [k, x] : {std::pair{0, r.w}, {1, r.x}, {2, r.y}, {3, r.z}})
    q[size_t(ball + k)] = x;
  q[0] = 1.3, q[1] = -0.2, q[2] = 0.5;            // 1 m from the rest position along x
  q[3] = q[6] = std::sqrt(0.5), q[4] = q[5] = 0;  // x of the joint is -y of the body
  const List f = force(*model, q);
  EXPECT_NEAR(f[3], 0, 1e-14);
  EXPECT_NEAR(f[4], 5, 1e-14);
  const size_t of_ball = size_t(model->joints[size_t(model->joint("ball_joint"))].v_index);
  EXPECT_NEAR(f[of_ball], 0, 1e-14);
  EXPECT_NEAR(f[of_ball + 1], -2 * 2, 1e-14);
}

// Without a rest position, the spring rests at q = 0 and the identity quaternion. Beyond half a
// turn, the shorter way back is the other one.
TEST(PoseSpring, RestsAtTheNeutralPositionAndTakesTheShorterWay) {
  LinkDescription ball = link("ball", "", JointKind::spherical);
  ball.joint.spring = PoseSpring{.angular = 2};
  const auto model = build(robot_of({ball}));
  EXPECT_EQ(force(*model, neutral(*model)), List(3, 0.0));
  const auto torque = [&](double angle) {
    return force(*model, {std::cos(angle / 2), 0, 0, std::sin(angle / 2)})[2];
  };
  EXPECT_NEAR(torque(3), -2 * 3, 1e-14);
  EXPECT_NEAR(torque(3.5), 2 * (2 * std::numbers::pi - 3.5), 1e-14);
}

TEST(PoseSpring, ChangesTheFingerprint) {
  LinkDescription ball = link("ball", "", JointKind::spherical);
  const uint64_t without = fingerprint(*build(robot_of({ball})));
  ball.joint.spring = PoseSpring{.angular = 2};
  const uint64_t with = fingerprint(*build(robot_of({ball})));
  ball.joint.spring->rest = {0, 1, 0, 0};
  EXPECT_NE(with, without);
  EXPECT_NE(with, fingerprint(*build(robot_of({ball}))));
}

// A file may have a stiffness of 0, such as the result of an optimisation.
TEST(PoseSpring, WithoutStiffnessIsNoSpring) {
  LinkDescription ball = link("ball", "", JointKind::spherical);
  const uint64_t without = fingerprint(*build(robot_of({ball})));
  ball.joint.spring = PoseSpring{.angular = 0, .rest = {0, 1, 0, 0}};
  EXPECT_FALSE(build(robot_of({ball}))->joints[0].spring);
  EXPECT_EQ(fingerprint(*build(robot_of({ball}))), without);
  LinkDescription base = link("base", "", JointKind::floating);
  base.joint.spring = PoseSpring{.angular = 0, .linear = 3};
  EXPECT_TRUE(build(robot_of({base}))->joints[0].spring);
}

TEST(PoseSpring, IsChecked) {
  const auto error = [](JointKind kind, const PoseSpring& spring) {
    LinkDescription one = link("one", "", kind);
    one.joint.spring = spring;
    if (kind == JointKind::fixed) one.joint.name = "";
    return error_of([&] { build(robot_of({one})); });
  };
  const JointKind ball = JointKind::spherical, base = JointKind::floating;
  EXPECT_THAT(error(JointKind::revolute, {1, 0, {}}), HasSubstr("give its drive the spring"));
  EXPECT_THAT(error(JointKind::planar, {1, 0, {}}), HasSubstr("give its drive the spring"));
  EXPECT_THAT(error(JointKind::fixed, {1, 0, {}}), HasSubstr("its fixed joint has a spring"));
  EXPECT_THAT(error(ball, {-1, 0, {}}), HasSubstr("the stiffness of the spring is -1"));
  EXPECT_THAT(error(base, {1, HUGE_VAL, {}}), HasSubstr("the stiffness of the spring is inf"));
  EXPECT_THAT(error(ball, {1, 1, {}}), HasSubstr("a spherical joint only turns"));
  EXPECT_THAT(error(base, {1, 1, {1, 0, 0, 0}}), HasSubstr("has 4 numbers; give 7"));
  EXPECT_THAT(error(ball, {1, 0, {NAN, 0, 0, 0}}), HasSubstr("not a finite number"));
  EXPECT_THAT(error(ball, {1, 0, {1.02, 0, 0, 0}}), HasSubstr("the norm 1.02; it must be 1"));
  LinkDescription one = link("one", "", ball);
  one.joint.spring = PoseSpring{1, 0, {1.009, 0, 0, 0}};
  EXPECT_EQ(pose_springs(*build(robot_of({one})))[0].rest, (List{1, 0, 0, 0}));
  one.joint.spring.reset();
  one.joint.drives.assign(3, Drive{.spring = {1, 0}});
  EXPECT_THAT(error_of([&] { build(robot_of({one})); }),
              HasSubstr("give the spring to the joint instead of its drives"));
}

}  // namespace
}  // namespace torsor::test::pose_spring
