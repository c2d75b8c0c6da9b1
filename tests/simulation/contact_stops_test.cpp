// Tests of stops of joints in time stepping with contacts, against closed forms and located events.

#include <gtest/gtest.h>

#include <algorithm>

#include "simulation/contact_scenes.hpp"
#include "support/random_robot.hpp"
#include "torsor/signals/limit_watch.hpp"

namespace torsor::test {
namespace {

JointDescription limited_slider(const Vec3<double>& axis, double lower, double upper,
                                double restitution) {
  JointDescription joint;
  joint.kind = JointKind::prismatic;
  joint.placement = ScrewPlacement{.axis = axis};
  joint.lower = lower, joint.upper = upper;
  joint.drives = {Drive{.stop = Stop{restitution}}};
  return joint;
}

// A ball of mass 2 and radius 0.1 on a slider, above the ground.
ContactScene ball_on_slider(const JointDescription& joint, double height, double v) {
  RobotDescription robot;
  robot.name = "slider";
  add_ball(robot, "ball", 2, 0.1, {});
  robot.links[0].joint = joint;
  robot.links[0].joint.name = "slide";
  return {
      on_plane(robot, {}, Pose<double>{Mat3<double>::identity(), {0, 0, -0.1 - height}}), {0}, {v}};
}

// A carriage of mass 3 on a vertical slider, and a ball of mass 2 on a slider below it, which moves
// from 0.3 m to 0.5 m below the carriage. The lowest point of the ball is `height` above the
// ground.
ContactScene carriage_with_ball(double height, double restitution = 0) {
  RobotDescription robot;
  robot.name = "lift";
  add_ball(robot, "carriage", 3, 0.05, {});
  add_ball(robot, "ball", 2, 0.1, {});
  robot.links[0].joint = limited_slider({0, 0, 1}, -10, 10, 0);
  robot.links[0].joint.name = "lift";
  robot.links[1].parent = "carriage";
  robot.links[1].joint = limited_slider({0, 0, 1}, -0.5, -0.3, restitution);
  robot.links[1].joint.name = "shock";
  return {on_plane(robot, {}, Pose<double>{Mat3<double>::identity(), {0, 0, -0.6 - height}}),
          {0, -0.5},
          {0, 0}};
}

// The joint reaches its stop at 0.5 m at t = 0.5 s and rebounds with e v.
TEST(ContactStops, AJointRebounds) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Simulation run = begin(ball_on_slider(limited_slider({1, 0, 0}, -1, 0.5, e), 1, 1),
                           Integrator::time_stepping, 1.0 / 1024);
    while (run.time() < 0.75) run.step();
    EXPECT_NEAR(run.state().v[0], -e, 1e-12) << e;
    EXPECT_NEAR(run.state().q()[0], 0.5 - e * 0.25, 1.0 / 1024) << e;
    EXPECT_NEAR(run.snapshot()[Work::stops], e * e - 1, 1e-12) << e;
    EXPECT_EQ(run.snapshot()[Work::contact], 0) << e;
  }
}

// The ball rests on the lower stop of its vertical joint, which carries its weight.
TEST(ContactStops, AJointRestsOnItsStop) {
  Simulation run = begin(ball_on_slider(limited_slider({0, 0, 1}, -0.25, 1, 0.5), 1, 0),
                         Integrator::time_stepping, 1e-3);
  LimitWatch limits(run.model());
  while (run.time() < 2) {
    run.step();
    limits.check_state(run);
  }
  EXPECT_TRUE(limits.passed().empty());
  const double q = run.state().q()[0];
  EXPECT_NEAR(q, -0.25, 1e-9);
  EXPECT_NEAR(run.constraint()[0], 2 * 9.81, 1e-9);
  EXPECT_EQ(run.snapshot().modes, (std::vector<double>{1, 0}));
  EXPECT_NEAR(run.snapshot()[Work::stops], -2 * 9.81 * 0.25, 1e-8);
  for (int k = 0; k < 1000; ++k) run.step();
  EXPECT_NEAR(run.state().q()[0], q, 1e-15);
}

// The impact of the ball lets the carriage fall on it. Both come to rest: the joint at its upper
// stop, the ball on the ground.
TEST(ContactStops, AnImpactMovesAJointToItsStop) {
  constexpr double height = 0.4;
  Simulation run = begin(carriage_with_ball(height), Integrator::time_stepping, 1e-3);
  while (run.time() < 2) run.step();
  EXPECT_NEAR(run.state().q()[0], -height - 0.2, 1e-9);
  EXPECT_NEAR(run.state().q()[1], -0.3, 1e-9);
  EXPECT_NEAR(run.state().v[0], 0, 1e-12);
  EXPECT_NEAR(run.state().v[1], 0, 1e-12);
  EXPECT_NEAR(force_of_world(run).z, 5 * 9.81, 1e-8);
  EXPECT_NEAR(run.snapshot()[Work::stops] + run.snapshot()[Work::contact],
              -9.81 * (5 * height + 3 * 0.2), 1e-8);
  EXPECT_LT(run.snapshot()[Work::stops], -1);
  EXPECT_NEAR(run.ledger_error(), 0, 1e-10);
}

// Far above the ground, the motion converges to that with located stops, with order 1.
TEST(ContactStops, ConvergesToLocatedStops) {
  ContactScene scene = carriage_with_ball(1000, 0.9);
  scene.q = {0, -0.4};
  scene.v = {0, -1.5};
  scene.load.tau = {0, 20};
  const double exact = run_to(scene, Integrator::rk4, 0.5, 1e-3).state().q()[1];
  expect_order_one(8e-3, [&](double dt) {
    return std::abs(run_to(scene, Integrator::time_stepping, 0.5, dt).state().q()[1] - exact);
  });
}

// A tree of seven capsules with limited joints, some with dry friction, that falls on the ground.
Simulation falling_tree(uint64_t seed, double dt) {
  Random random(seed);
  RobotDescription robot;
  robot.name = "tree";
  const ContactMaterial material{.mu = random.uniform(0, 1), .restitution = random.below(2) * 0.3};
  for (int k = 0; k < 7; ++k) {
    add_capsule(robot, "link" + std::to_string(k), random.uniform(0.2, 3), 0.04, 0.1, material);
    if (k == 0) continue;
    LinkDescription& link = robot.links.back();
    link.parent = "link" + std::to_string((k - 1) / 2);
    link.joint = {};
    link.joint.name = "joint" + std::to_string(k);
    link.joint.kind = JointKind::revolute;
    link.joint.placement =
        ScrewPlacement{.X_PL = {Mat3<double>::identity(),
                                {(k % 2 == 0 ? 1 : -1) * (k < 3 ? 0.35 : 0.17), 0, -0.32}},
                       .axis = {random.uniform(-1, 1), random.uniform(-1, 1), 0.2},
                       .point = {0, 0, 0.14}};
    link.joint.lower = -random.uniform(0, 0.5), link.joint.upper = random.uniform(0, 0.5);
    Drive drive{.stop = Stop{random.uniform(0, 0.6)}};
    if (random.below(2) == 0)
      drive.friction = {.law = Friction::Law::coulomb, .coulomb = 0.1, .breakaway = 0.12};
    link.joint.drives = {drive};
  }
  const auto model = on_plane(robot, {.mu = 0.5});
  std::vector<double> q(size_t(model->n_q)), v(size_t(model->n_v));
  q[2] = 1, q[3] = 1;
  for (int k = 0; k < 6; ++k) v[size_t(k)] = random.uniform(-2, 2);
  return started(model, dt, q, v);
}

// Joints stay within their limits, and stops, contacts and frictions account for the energy, with
// an error of the order of dt.
TEST(ContactStops, FallingTreesKeepTheirLimits) {
  double errors[2] = {};
  int closed = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed)
    for (const int fine : {0, 1}) {
      TORSOR_TRACE_SEED(seed);
      Simulation run = falling_tree(seed, fine ? 5e-4 : 2e-3);
      const double start = run.energy().sum();
      const std::vector<StopElement>& stops = run.mechanism().stops;
      while (run.time() < 1.5) {
        run.step();
        const double* q = run.state().q().data();
        for (const StopElement& stop : stops)
          ASSERT_GT(run.mechanism().distance(stop, q, nullptr), -1e-8);
        const std::vector<double>& modes = run.snapshot().modes;
        closed += int(std::count(modes.end() - std::ptrdiff_t(stops.size()), modes.end(), 1.0));
      }
      EXPECT_LT(run.snapshot()[Work::stops], 0);
      errors[fine] += std::abs(run.ledger_error()) / start / 12;
    }
  EXPECT_GT(closed, 4000);
  EXPECT_LT(errors[0], 1e-2);
  EXPECT_LT(errors[1], 0.4 * errors[0]);
  RecordProperty("errors", fmt::format("{:.2e} {:.2e}", errors[0], errors[1]));
}

// Joints that slide to their stops without a force that holds them there come to rest.
TEST(ContactStops, JointsWithoutForcesStayAtTheirStops) {
  RobotDescription robot;
  robot.name = "train";
  for (int k = 0; k < 4; ++k) {
    add_ball(robot, "ball" + std::to_string(k), 1 + k, 0.05, {});
    LinkDescription& link = robot.links.back();
    if (k > 0) link.parent = "ball" + std::to_string(k - 1);
    link.joint = limited_slider({1, 0, 0}, -0.1 * (k + 1), 0.1 + 0.05 * k, 0);
    link.joint.name = "slide" + std::to_string(k);
  }
  const ContactScene scene{on_plane(robot, {}, Pose<double>{Mat3<double>::identity(), {0, 0, -2}}),
                           {0, 0, 0, 0},
                           {0.3, -0.5, 0.7, 1.1}};
  Simulation run = begin(scene, Integrator::time_stepping, 1e-3);
  while (run.time() < 4) run.step();
  for (const double v : run.state().v) EXPECT_NEAR(v, 0, 1e-14);
}

// The contacts of the last step have no effect on a state without contacts.
TEST(ContactStops, RestoresAStateWithoutContactsAfterAnImpact) {
  RobotDescription robot;
  robot.name = "ball";
  add_ball(robot, "ball", 2, 0.1, {});
  Simulation run =
      started(on_plane(robot, {}), 1e-2, {0, 0, 0.3, 1, 0, 0, 0}, std::vector<double>(6, 0.0));
  const Snapshot above = run.snapshot();
  run.step();
  const std::vector<double> q = run.snapshot().q;
  while (run.snapshot()[Work::contact] == 0) run.step();
  run.restore(above);
  run.step();
  EXPECT_EQ(run.snapshot().q, q);
}

// A run that continues from a snapshot with a closed stop is the same to the bit.
TEST(ContactStops, ContinuesToTheBit) {
  Simulation run = begin(carriage_with_ball(0.4), Integrator::time_stepping, 1e-3);
  while (run.time() < 0.6) run.step();
  const Snapshot then = run.snapshot();
  for (int k = 0; k < 100; ++k) run.step();
  const std::vector<double> q = run.snapshot().q, v = run.snapshot().v;
  run.restore(then);
  for (int k = 0; k < 100; ++k) run.step();
  EXPECT_EQ(run.snapshot().q, q);
  EXPECT_EQ(run.snapshot().v, v);
}

}  // namespace
}  // namespace torsor::test
