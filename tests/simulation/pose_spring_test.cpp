// Tests of the motion of bodies on the springs of spherical and floating joints, against closed
// forms and the conservation of energy.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"

namespace torsor::test::pose_springs {
namespace {

using List = std::vector<double>;

// Returns a link of 2 kg. Its centre of mass is at c, with the moments of inertia I about it.
LinkDescription body(const std::string& name, const std::string& parent, JointKind kind,
                     const Vec3<double>& c, const Vec3<double>& I) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.name = name + "_joint";
  out.joint.kind = kind;
  out.inertia = inertia_about_com(2, c, {I.x, I.y, I.z, 0, 0, 0});
  return out;
}
Simulation start(std::vector<LinkDescription> links, const List& q, const List& v,
                 const Vec3<double>& gravity_W) {
  RobotDescription robot;
  robot.name = "robot";
  robot.links = std::move(links);
  Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 0.01, {1e-12, 1e-13});
  s.set_gravity(gravity_W);
  s.set_state(q, v);
  return s;
}

// Checks a ball with equal moments of inertia, which turns about a fixed axis e:
//   I angle'' = -k angle,   q = rest exp(angle e)
TEST(PoseSprings, TurnABallHarmonically) {
  LinkDescription ball = body("ball", "", JointKind::spherical, {0, 0, 0}, {0.3, 0.3, 0.3});
  const Quaternion rest{0.5, -0.5, 0.5, 0.5};
  ball.joint.spring = PoseSpring{.angular = 7, .rest = {rest.w, rest.x, rest.y, rest.z}};
  const Vec3<double> e{0.6, 0, 0.8};
  const double start_angle = 2.5, rate = std::sqrt(7 / 0.3);
  const Quaternion r = rest * exp_quaternion(start_angle * e);
  Simulation s = start({ball}, {r.w, r.x, r.y, r.z}, {0, 0, 0}, {0, 0, 0});
  EXPECT_NEAR(s.energy().elastic, 0.5 * 7 * start_angle * start_angle, 1e-12);
  while (s.time() < 2) s.step();
  const std::span<const double> q = s.state().q();
  const Vec3<double> turned = rotation_vector(conjugate(rest) * Quaternion{q[0], q[1], q[2], q[3]});
  EXPECT_NEAR(norm(turned - start_angle * std::cos(rate * s.time()) * e), 0, 1e-9);
}

// Checks a body on its centre of mass: the translation in the axes of the joint does not depend on
// the rotation, p - p_0 = A cos(w_l t), and the rotation is the one above.
TEST(PoseSprings, MoveAFloatingBodyHarmonically) {
  LinkDescription base = body("base", "", JointKind::floating, {0, 0, 0}, {0.3, 0.3, 0.3});
  base.joint.spring = PoseSpring{7, 11, {1, 2, 3, 1, 0, 0, 0}};
  const Vec3<double> A{0.3, -0.1, 0.2};
  const double start_angle = 1.5;
  Simulation s =
      start({base},
            {1 + A.x, 2 + A.y, 3 + A.z, std::cos(start_angle / 2), 0, std::sin(start_angle / 2), 0},
            List(6, 0.0), {0, 0, 0});
  EXPECT_NEAR(s.energy().elastic, 0.5 * (7 * start_angle * start_angle + 11 * dot(A, A)), 1e-12);
  while (s.time() < 2) s.step();
  const std::span<const double> q = s.state().q();
  const Vec3<double> p = Vec3<double>{q[0], q[1], q[2]} - Vec3<double>{1, 2, 3};
  EXPECT_NEAR(norm(p - std::cos(std::sqrt(11 / 2.0) * s.time()) * A), 0, 1e-9);
  const double angle = start_angle * std::cos(std::sqrt(7 / 0.3) * s.time());
  EXPECT_NEAR(norm(rotation_vector({q[3], q[4], q[5], q[6]}) - Vec3<double>{0, angle, 0}), 0, 1e-9);
}

// Checks that energy only moves between its three forms, for bodies without symmetry in gravity.
TEST(PoseSprings, ConserveEnergy) {
  LinkDescription base = body("base", "", JointKind::floating, {0.1, 0, 0.05}, {0.3, 0.2, 0.4}),
                  ball = body("ball", "base", JointKind::spherical, {0, 0.3, 0}, {0.1, 0.05, 0.12});
  base.joint.spring = PoseSpring{20, 90, {0, 0, 0.5, 0.8, 0.6, 0, 0}};
  ball.joint.spring = PoseSpring{.angular = 4};
  Simulation s = start({base, ball}, {0.2, 0, 0.4, 0.8, 0, 0, 0.6, 0.6, 0, 0.8, 0},
                       {0.5, -1, 0.3, 0.2, 0, -0.4, 1, 0.5, -0.2}, {0, 0, -9.81});
  const double elastic = s.energy().elastic;
  double change = 0;
  while (s.time() < 1) {
    s.step();
    change = std::max(change, std::abs(s.energy().elastic - elastic));
    ASSERT_NEAR(s.ledger_error(), 0, 1e-9);
  }
  EXPECT_GT(change, 1) << "J: the springs take part";
}

// Returns the largest error of the energy, J, of a ball with the integrator rk4 at steps of dt
// during 3 s. Its spring has 5 N m/rad.
double energy_error(const Vec3<double>& rate, double dt) {
  RobotDescription robot;
  robot.name = "robot";
  robot.links = {body("ball", "", JointKind::spherical, {0, 0, 0}, {0.1, 0.12, 0.14})};
  robot.links[0].joint.spring = PoseSpring{.angular = 5};
  Simulation s(build(robot), solver_factory(), Integrator::rk4, dt);
  s.set_gravity({0, 0, 0});
  s.set_state(List{1, 0, 0, 0}, List{rate.x, rate.y, rate.z});
  const double energy = s.energy().sum();
  double out = 0;
  while (s.time() < 3 - dt / 2) {
    s.step();
    out = std::max(out, std::abs(s.energy().sum() - energy));
  }
  return out;
}

// Checks the statement of the documentation about half turns: the torque changes its sign there, so
// that the error of a step across one only falls in proportion to dt. Without half turns, rk4 keeps
// its order.
TEST(PoseSprings, HaveAnErrorOfFirstOrderAtHalfTurns) {
  const Vec3<double> spins{30, 2.5, 5}, swings{6, 0.5, 1};
  for (const double dt : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
    const double slope = energy_error(spins, dt) / dt;
    EXPECT_GT(slope, 100) << "J/s, dt = " << dt;
    EXPECT_LT(slope, 1000) << "J/s, dt = " << dt;
  }
  EXPECT_NEAR(energy_error(spins, 1e-3), 0.44, 0.01) << "J, the figure of the documentation";
  const double swing = energy_error(swings, 1e-3);
  EXPECT_LT(swing, 2e-11);
  EXPECT_GT(energy_error(swings, 2e-3), 16 * swing);
}

}  // namespace
}  // namespace torsor::test::pose_springs
