// Tests of dry friction and stops: static friction without creep, stick-slip against its closed
// form, and impacts.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "simulation/robots.hpp"

namespace torsor::test {
namespace {

Friction coulomb(double level, double breakaway, double viscous = 0) {
  return {
      .law = Friction::Law::coulomb, .viscous = viscous, .coulomb = level, .breakaway = breakaway};
}
RobotDescription with_friction(RobotDescription robot, const Friction& friction) {
  for (LinkDescription& link : robot.links) link.joint.drives = {Drive{.friction = friction}};
  return robot;
}

// Checks that static friction keeps an arm at rest without creep. Gravity exerts up to 29.4 N m on
// the first joint and 9.8 N m on the second. The breakaway torque is 30 N m.
TEST(Friction, SticksWithoutCreep) {
  for (const Integrator integrator : every_integrator())
    for (const char* solver :
         {"articulated_body", "newton_euler", "lie_group", "lagrange_christoffel"}) {
      Simulation s(
          build(with_friction(planar_n_link(Vector::Ones(2), Vector::Ones(2)), coulomb(25, 30))),
          solver_factory(solver), integrator, 0.05);
      s.set_gravity({0, -g, 0});
      const std::vector<double> q{0.1, 0.2};
      s.set_state(q, std::vector<double>{0, 0});
      while (s.time() < 60) s.step();
      EXPECT_EQ(s.state().q()[0], q[0]) << name(integrator);
      EXPECT_EQ(s.state().q()[1], q[1]) << name(integrator);
      EXPECT_EQ(s.state().v[0], 0);
      EXPECT_EQ(s.snapshot()[Work::friction], 0);
      EXPECT_EQ(s.ledger_error(), 0);
      // At rest, the constraint torque balances g(q).
      EXPECT_NEAR(s.constraint()[0], g * (2 * std::cos(q[0]) + std::cos(q[0] + q[1])), 1e-13);
    }
}

// Checks breakaway of a block of m = 1 kg on a rail, pushed by F = f t. It sticks until f t = F_s
// at t_1 = F_s / f. Then m vdot = f t - F_c:
//   v = f (t^2 - t_1^2)/2 - F_c (t - t_1)
TEST(Friction, BreaksAwayAtItsMaximum) {
  const double f = 2, F_s = 1.5, F_c = 1, t1 = F_s / f;
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::dormand_prince, Integrator::fehlberg, Integrator::dirk}) {
    Simulation s(build(with_friction(slider(), coulomb(F_c, F_s))), solver_factory(), integrator,
                 0.01, {1e-11, 1e-12});
    Load load;
    load.tau_of_time = [f](double t, std::span<double> tau) { tau[0] += f * t; };
    s.set_load(load);
    s.set_state(std::vector<double>{0}, std::vector<double>{0});
    while (s.time() < 0.745) s.step();
    EXPECT_EQ(s.state().q()[0], 0);
    while (s.time() < 1.995) s.step();
    const double t = s.time();
    EXPECT_NEAR(s.state().v[0], f * (t * t - t1 * t1) / 2 - F_c * (t - t1), 1e-9)
        << name(integrator);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
  }
}

// Checks the law of Stribeck (KHALIL 7.26) by one step of Euler's method: m (v_1 - v_0) = -F dt.
TEST(Friction, OfStribeckDecreasesWithTheSpeed) {
  const double F_c = 2, F_s = 3.5, B = 1.5, F_v = 0.4, dt = 1e-3;
  for (const double v : {-2.0, -0.3, 0.05, 0.8, 4.0}) {
    Simulation s(build(with_friction(slider(), {.law = Friction::Law::stribeck,
                                                .viscous = F_v,
                                                .coulomb = F_c,
                                                .breakaway = F_s,
                                                .decay = B})),
                 solver_factory(), Integrator::euler, dt);
    s.set_state(std::vector<double>{0}, std::vector<double>{v});
    s.step();
    const double speed = std::abs(v), sign = v > 0 ? 1 : -1,
                 F = F_c + (F_s - F_c) * std::exp(-B * speed) + F_v * speed;
    EXPECT_NEAR(s.state().v[0], v - sign * F * dt, 1e-15);
  }
}

// Checks the period of stick-slip: a mass on a belt of speed V is connected to the ground by a
// spring k. It sticks until the spring pulls with F_s, then slips until its speed is V again. With
//   w = sqrt(k/m),   y = x - F_c/k,   a = (F_s - F_c)/k
// slipping obeys yddot = -w^2 y from (a, V) to (-a, V). In the plane of y and ydot/w this is an arc
// of 2 pi - 2 atan(w a / V) radians. Sticking from y = -a to a takes 2 a / V. The simulation uses
// the frame of the belt, in which the far end of the spring moves.
TEST(Friction, StickSlipHasThePeriodOfItsClosedForm) {
  const double m = 1, k = 100, V = 0.1, F_s = 3, F_c = 1;
  const double w = std::sqrt(k / m), a = (F_s - F_c) / k;
  const double slip = 2 * (std::numbers::pi - std::atan(w * a / V)) / w;
  const double period = slip + 2 * a / V;
  struct Row {
    Integrator integrator;
    double dt;
  };
  for (const auto& [integrator, dt] :
       {Row{Integrator::rk4, 1e-3}, Row{Integrator::dormand_prince, 1e-2},
        Row{Integrator::fehlberg, 1e-2}, Row{Integrator::dirk, 1e-2}, Row{Integrator::bdf, 1e-2}}) {
    // The position relative to the belt is X = x - V t: m Xddot = -k (X + V t) + friction against
    // Xdot.
    RobotDescription robot = slider();
    Load load;
    load.tau_of_time = [k, V](double t, std::span<double> tau) { tau[0] -= k * V * t; };
    robot.links[0].joint.drives = {Drive{.friction = coulomb(F_c, F_s), .spring = {k, 0}}};
    Simulation belt(build(robot), solver_factory(), integrator, dt, {1e-11, 1e-13});
    belt.set_load(load);
    belt.set_state(std::vector<double>{0}, std::vector<double>{0});
    // In one period, X changes by the motion of the belt, -V * period. Slip begins at the same
    // phase each time, when the force of the spring reaches F_s: X_stick(n) = X_stick(0) - n V
    // period.
    std::vector<double> rests;  // positions at which the mass sticks
    double last = 1;
    while (rests.size() < 6 && belt.time() < 60) {
      belt.step();
      const bool sticks = belt.snapshot().modes[0] == 0;
      if (sticks && belt.state().q()[0] != last) rests.push_back(last = belt.state().q()[0]);
    }
    ASSERT_EQ(rests.size(), 6u) << name(integrator);
    const double measured = (rests[1] - rests[5]) / (4 * V);
    std::printf("%-16s period %.12f s, closed form %.12f s\n", name(integrator), measured, period);
    EXPECT_NEAR(measured, period, 1e-6) << name(integrator);
    EXPECT_NEAR(belt.ledger_error(), 0, 1e-8) << name(integrator);
  }
}

TEST(Friction, NeverAddsEnergy) {
  for (const Friction& friction : {coulomb(2, 3, 0.1),
                                   Friction{.law = Friction::Law::stribeck,
                                   .viscous = 0.2,
                                   .coulomb = 1,
                                   .breakaway = 2,
                                   .decay = 10},
                                   Friction{.law = Friction::Law::piecewise_linear,
                                   .viscous = 0.2,
                                   .coulomb = 1,
                                   .transition = 0.01},
                                   Friction{.law = Friction::Law::lugre,
                                   .viscous = 0.2,
                                   .coulomb = 1,
                                   .breakaway = 1.5,
                                   .decay = 100,
                                   .bristle_stiffness = 1e4,
                                   .bristle_damping = 100}}) {
    Simulation s(build(with_friction(planar_n_link(Vector::Ones(3), Vector::Ones(3)), friction)),
                 solver_factory(), Integrator::dormand_prince, 0.01, {1e-10, 1e-11});
    s.set_gravity({0, -g, 0});
    s.set_state(std::vector<double>{0.5, 0.4, -1}, std::vector<double>{0, 2, -1});
    double before = 0;
    while (s.time() < 5) {
      s.step();
      const double now = s.snapshot()[Work::friction];
      EXPECT_LE(now, before + (friction.law == Friction::Law::lugre ? 1e-3 : 0))
          << name(friction.law);
      before = now;
    }
    EXPECT_LT(before, -1);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-8) << name(friction.law);
  }
}

// Checks that all other frictions are evaluated again when one breaks away. A block is on a cart.
// Each sticks up to 6 N and slips against 1 N. When the cart breaks away, its acceleration loads
// the block at once.
TEST(Friction, OfOthersIsEvaluatedAgainAfterABreakaway) {
  RobotDescription robot = slider();
  LinkDescription second = robot.links[0];
  second.name = "second", second.joint.name = "second", second.parent = "cart";
  robot.links[0].joint.drives = {Drive{.friction = coulomb(1, 6)}};
  second.joint.drives = {Drive{.friction = coulomb(1, 6)}};
  robot.links.push_back(second);
  // Cart and block have a mass of 2 kg together. tau_1 = 6.5 accelerates them at (6.5 - 1) / 2 =
  // 2.75 m/s^2, which requires 2.75 N at the block. The motor provides 5 N, and friction the rest.
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-2);
  s.set_load({.tau = {6.5, 5}});
  s.set_state(std::vector<double>{0, 0}, std::vector<double>{0, 0});
  EXPECT_EQ(s.snapshot().modes, (std::vector<double>{1, 0}));
  // The block now requires 4 + 2.75 > 6 N from friction, so it slips backwards.
  s.set_load({.tau = {6.5, -4}});
  s.set_state(std::vector<double>{0, 0}, std::vector<double>{0, 0});
  EXPECT_EQ(s.snapshot().modes, (std::vector<double>{1, -1}));
  for (int k = 0; k < 100; ++k) s.step();
  // M = [2 1; 1 1], so the accelerations are a = 6.5 - 1 + 4 - 1 and b = -3 - a.
  EXPECT_NEAR(s.state().v[0], 8.5, 1e-12);
  EXPECT_NEAR(s.state().v[1], -11.5, 1e-12);
}

// Checks two fingers. The second mimics the first with the ratio r. The friction of each is F_s at
// rest and F_c in motion. Together they stick up to F_s1 + |r| F_s2, then slip against F_c1 + |r|
// F_c2 (KHALIL 7.27).
TEST(Friction, OfMimicJointsIsShared) {
  for (const double ratio : {1.0, -3.0, 0.5})
    for (const double second : {0.2, 2.0}) {
      SCOPED_TRACE(ratio);
      RobotDescription robot = slider();
      LinkDescription finger = robot.links[0];
      finger.name = "finger", finger.joint.name = "finger";
      robot.links[0].joint.drives = {Drive{.friction = coulomb(0.5, 1)}};
      finger.joint.drives = {Drive{.friction = coulomb(second / 2, second)}};
      finger.joint.mimic = Mimic{"rail", ratio, 0};
      robot.links.push_back(finger);
      const auto model = build(robot);
      const double most = 1 + std::abs(ratio) * second, slides = 0.5 + std::abs(ratio) * second / 2;
      for (const Integrator integrator : every_integrator()) {
        SCOPED_TRACE(name(integrator));
        Simulation s(model, solver_factory(), integrator, 1e-2);
        s.set_load({.tau = {0.999 * most, 0}});
        s.set_state(std::vector<double>{0, 0}, std::vector<double>{0, 0});
        for (int k = 0; k < 20; ++k) s.step();
        EXPECT_EQ(s.state().v[0], 0);
        // The load grows with time. It reaches the maximum static friction, and the fingers break
        // away, at 1 s.
        Simulation grown(model, solver_factory(), integrator, 1e-2);
        grown.set_load({.tau = {}, .tau_of_time = [=](double t, std::span<double> tau) {
                          tau[0] += most * t;
                        }});
        grown.set_state(std::vector<double>{0, 0}, std::vector<double>{0, 0});
        for (int k = 0; k < 150; ++k) grown.step();
        const double mass = 1 + ratio * ratio;
        const bool first_order = traits(integrator).order == 1;
        EXPECT_NEAR(grown.state().v[0], (most * (1.5 * 1.5 - 1) / 2 - slides * 0.5) / mass,
                    first_order ? 0.02 : 1e-6);
        EXPECT_LE(grown.snapshot()[Work::friction], 0);
        // From a given velocity, the fingers slip to rest and then stick again.
        s.change_state(std::vector<double>{0, 0}, std::vector<double>{0.3, 0.3 * ratio});
        s.change_torque(std::vector<double>{0, 0});
        for (int k = 0; k < 500; ++k) s.step();
        EXPECT_EQ(s.state().v[0], 0);
        EXPECT_EQ(s.snapshot().modes, (std::vector<double>{0, 0}));
      }
    }
}

// Checks that the frictions of a joint and its rigid motor are added: they stick up to 3 + 2 N and
// slip against 2 + 1 N.
TEST(Friction, OfAJointAndItsMotorActAsOne) {
  RobotDescription robot = slider();
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].friction = coulomb(2, 3);
  robot.links[0].joint.drives[0].motor.friction = coulomb(1, 2);
  Simulation s(build(robot), solver_factory(), Integrator::dormand_prince, 1e-2);
  ASSERT_EQ(s.mechanism().frictions.size(), 1u);
  s.set_load({.tau = {4.99}});
  for (int k = 0; k < 10; ++k) s.step();
  EXPECT_EQ(s.state().v[0], 0);
  EXPECT_NEAR(s.constraint()[0], -4.99, 1e-14);
  s.change_torque(std::vector<double>{5.01});
  for (int k = 0; k < 100; ++k) s.step();
  EXPECT_NEAR(s.state().v[0], 2.01, 1e-12);
  EXPECT_NEAR(s.friction()[0], 3, 1e-14);
  s.change_torque(std::vector<double>{0});
  for (int k = 0; k < 100; ++k) s.step();
  EXPECT_EQ(s.state().v[0], 0);
  EXPECT_NEAR(s.state().q()[0], 2.01 / 2 + 2.01 * 2.01 / 6, 1e-11);
}

RobotDescription ball(double restitution) {
  RobotDescription robot = slider();
  LinkDescription& link = robot.links[0];
  link.joint.placement = ScrewPlacement{.axis = {0, 0, 1}};
  link.joint.lower = 0;
  link.joint.drives = {Drive{.stop = Stop{restitution}}};
  return robot;
}

TEST(Stop, AnElasticBallKeepsItsEnergy) {
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::implicit_midpoint, Integrator::dormand_prince,
        Integrator::fehlberg, Integrator::dirk}) {
    Simulation s(build(ball(1)), solver_factory(), integrator, 1e-2, {1e-11, 1e-12});
    s.set_state(std::vector<double>{1}, std::vector<double>{0});
    const double start = s.energy().sum();
    int bounces = 0;
    double v = 0;
    while (s.time() < 20) {
      s.step();
      bounces += v < 0 && s.state().v[0] > 0;
      v = s.state().v[0];
      ASSERT_GE(s.state().q()[0], 0);
    }
    const double period = 2 * std::sqrt(2 / g);
    EXPECT_EQ(bounces, int((20 + period / 2) / period));
    std::printf("%-18s energy %.1e after %d bounces\n", name(integrator),
                std::abs(s.energy().sum() - start) / start, bounces);
    EXPECT_NEAR(s.energy().sum(), start, 1e-9 * start) << name(integrator);
    EXPECT_NEAR(s.snapshot()[Work::stops], 0, 1e-9 * start);
  }
}

// Checks a bouncing ball. Its bounces end after sqrt(2 h/g) (1 + e)/(1 - e). Then it remains at
// rest.
TEST(Stop, ABallComesToRest) {
  const double e = 0.6, h = 1, end = std::sqrt(2 * h / g) * (1 + e) / (1 - e);
  Simulation s(build(ball(e)), solver_factory(), Integrator::rk4, 1e-3);
  s.set_state(std::vector<double>{h}, std::vector<double>{0});
  while (s.time() < end - 0.005) s.step();
  EXPECT_EQ(s.snapshot().modes[0], 0);
  while (s.time() < end + 0.005) s.step();
  EXPECT_EQ(s.snapshot().modes[0], 1);
  const double q = s.state().q()[0];
  EXPECT_NEAR(q, 0, 1e-12);
  while (s.time() < 20) s.step();
  EXPECT_EQ(s.state().q()[0], q);
  EXPECT_NEAR(s.snapshot()[Work::stops], -g * h, 1e-9);
  EXPECT_NEAR(s.constraint()[0], g, 1e-12);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
}

// Checks with every integrator that a ball dropped from 1 m comes to rest at the time
//   sqrt(2 h/g) (1 + e)/(1 - e)
// The last flights are shorter than the first step of any method. Explicit Euler is left out,
// because it adds energy to every flight and never rests. Semi-implicit Euler needs the small step.
TEST(Stop, BouncesToRestWithEveryIntegrator) {
  for (const Integrator integrator : every_integrator())
    for (const double e : {0.1, 0.5, 0.8})
      for (const double dt : {1e-3, 1e-2, 0.1}) {
        SCOPED_TRACE(testing::Message() << name(integrator) << " e " << e << " dt " << dt);
        if (integrator == Integrator::euler) continue;
        if (integrator == Integrator::semi_implicit_euler && dt > 1e-3) continue;
        Simulation s(build(ball(e)), solver_factory(), integrator, dt);
        s.set_state(std::vector<double>{1}, std::vector<double>{0});
        const double over = std::sqrt(2 / g) * (1 + e) / (1 - e);
        while (s.time() < over - 0.2) s.step();
        EXPECT_EQ(s.snapshot().modes[0], 0);
        while (s.time() < over + 0.2) s.step();
        EXPECT_EQ(s.snapshot().modes[0], 1);
        EXPECT_EQ(s.state().v[0], 0);
        EXPECT_NEAR(s.state().q()[0], 0, 1e-12);
        EXPECT_NEAR(s.snapshot()[Work::stops], -g,
                    integrator == Integrator::semi_implicit_euler ? 0.2 : 1e-3);
      }
}

// Checks that a body leaves its stop without a jump of velocity when a growing force pulls it away.
TEST(Stop, ReleasesWithoutAJump) {
  Simulation s(build(ball(0)), solver_factory(), Integrator::rk4, 1e-2);
  Load load;
  load.tau_of_time = [](double t, std::span<double> tau) { tau[0] += 10 * t; };
  s.set_load(load);
  s.set_state(std::vector<double>{0}, std::vector<double>{0});
  EXPECT_EQ(s.snapshot().modes[0], 1);
  while (s.time() < 1.995) s.step();
  const double t = s.time(), t0 = g / 10;
  EXPECT_NEAR(s.state().v[0], 5 * (t * t - t0 * t0) - g * (t - t0), 1e-10);
}

// Checks a joint at its stop that is pulled away by less than its static friction. Then friction
// alone balances the load.
TEST(Stop, LeavesItsLoadToSufficientFriction) {
  RobotDescription robot = ball(0);
  robot.links[0].joint.drives[0].friction = coulomb(2, 3);
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-2);
  s.set_gravity({0, 0, 1.5});
  s.set_state(std::vector<double>{0}, std::vector<double>{0});
  EXPECT_EQ(s.snapshot().modes, (std::vector<double>{0, 0}));
  for (int k = 0; k < 100; ++k) s.step();
  EXPECT_EQ(s.state().q()[0], 0);
  EXPECT_NEAR(s.constraint()[0], -1.5, 1e-14);
}

TEST(Mimic, FollowsExactlyAndSharesTheInertia) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.links[1].joint.mimic = Mimic{robot.links[0].joint.name, -0.5, 0.3};
  Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  s.set_gravity({0, -g, 0});
  s.set_state(std::vector<double>{0.4, 0.3 - 0.2}, std::vector<double>{1, -0.5});
  for (int k = 0; k < 3000; ++k) {
    s.step();
    ASSERT_EQ(s.state().q()[1], 0.3 - 0.5 * s.state().q()[0]);
    ASSERT_EQ(s.state().v[1], -0.5 * s.state().v[0]);
  }
  EXPECT_NEAR(s.ledger_error(), 0, 1e-7);
  EXPECT_EQ(s.model().n_v, 2);
}

}  // namespace
}  // namespace torsor::test
