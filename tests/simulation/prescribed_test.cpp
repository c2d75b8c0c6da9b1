// Tests of prescribed motion: moving bases against closed forms, and against solvers that receive
// the motion of the world.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "support/random_state.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;
using testing::HasSubstr;

// Returns the cart of slider() with another link on it.
RobotDescription carrying(LinkDescription link) {
  RobotDescription robot = slider();
  link.parent = "cart";
  robot.links.push_back(std::move(link));
  return robot;
}
LinkDescription block(Drive drive = {}) {
  LinkDescription link = slider().links[0];
  link.name = "block";
  link.joint.name = "slide";
  link.joint.drives = {drive};
  return link;
}
// Returns a load that prescribes the velocity v(t) of the cart. a(t) is its derivative.
Load cart_moves(const Model& model, std::function<double(double)> v,
                std::function<double(double)> a) {
  Load load;
  load.prescriptions = {
      {model.joint("rail"), [=](double t, std::span<double> rate, std::span<double> change) {
         rate[0] = v(t);
         change[0] = a(t);
       }}};
  return load;
}

// Checks a pendulum of 1 kg and 1 m below a cart at x(t) = A sin w t, and the force that drives the
// cart:
//   theta'' = x'' sin theta - g cos theta
//   F = (1 + 1) x'' - (theta'' sin theta + theta'^2 cos theta)
TEST(Prescribed, DrivesAPendulumByItsPivot) {
  constexpr double A = 0.4, w = 5, T = 1.5;
  const auto acceleration = [&](double t) { return -A * w * w * std::sin(w * t); };
  const auto theta_ddot = [&](double t, double theta) {
    return acceleration(t) * std::sin(theta) - g * std::cos(theta);
  };
  // The reference is a Runge-Kutta solution of this equation, in steps of 1e-4 s.
  double theta = 0.3, omega = 0, t = 0;
  for (const double h = 1e-4; t < T - h / 2; t += h) {
    const double k1 = theta_ddot(t, theta), k2 = theta_ddot(t + h / 2, theta + h / 2 * omega);
    const double k3 = theta_ddot(t + h / 2, theta + h / 2 * omega + h * h / 4 * k1);
    const double k4 = theta_ddot(t + h, theta + h * omega + h * h / 2 * k2);
    theta += h * omega + h * h / 6 * (k1 + k2 + k3);
    omega += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const auto model = build(carrying(pendulum().links[0]));
  for (const Integrator method : every_integrator()) {
    SCOPED_TRACE(name(method));
    const int order = traits(method).order;
    const double dt = order == 1 || order == 2 ? 1e-4 : 1e-3;
    const double tolerance = order == 1 ? 2e-3 : order == 2 ? 1e-6 : order == 0 ? 1e-7 : 2e-9;
    Simulation s(model, solver_factory(), method, dt, {1e-11, 1e-12});
    s.set_gravity({0, -g, 0});
    s.set_load(cart_moves(
        *model, [](double at) { return A * w * std::cos(w * at); }, acceleration));
    s.set_state(List{0, 0.3}, List{0, 0});
    while (s.time() < T - dt / 2) s.step();
    EXPECT_EQ(s.state().v[0], A * w * std::cos(w * s.time()));
    EXPECT_NEAR(s.state().q()[0], A * std::sin(w * T), tolerance);
    EXPECT_NEAR(s.state().q()[1], theta, tolerance);
    EXPECT_NEAR(s.state().v[1], omega, 10 * tolerance);
    EXPECT_EQ(s.acceleration()[0], acceleration(s.time()));
    const double force = 2 * acceleration(T) - theta_ddot(T, theta) * std::sin(theta) -
                         omega * omega * std::cos(theta);
    EXPECT_NEAR(s.constraint()[0], force, 100 * tolerance);
    EXPECT_NEAR(s.ledger_error(), 0, 100 * tolerance);
  }
}

// Compares a floating base with prescribed motion with the same robot on a moving world (V_0 of MR
// 9.69). The first has constraint forces at six additional dof. In the second, each solver uses V_W
// and its rate. The frames of base and world coincide, in body axes.
TEST(Prescribed, BaseMotionEqualsWorldMotion) {
  for (const char* solver :
       {"articulated_body", "newton_euler", "lie_group", "lagrange_christoffel"})
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(solver);
      TORSOR_TRACE_SEED(seed);
      RobotDescription fixed = random_robot(5, Shape::tree, seed, Kinds::every), floating = fixed;
      LinkDescription base;
      base.name = "the_base";
      base.joint.name = "free";
      base.joint.kind = JointKind::floating;
      base.inertia = inertia_about_com(2, {0.1, 0, 0}, {1, 1, 1, 0, 0, 0});
      for (LinkDescription& link : floating.links) {
        if (link.parent.empty()) link.parent = base.name;
      }
      if (!floating.dof_order.empty())
        floating.dof_order.insert(floating.dof_order.begin(), "free");
      floating.links.insert(floating.links.begin(), base);
      const auto still = build(fixed), moving = build(floating);

      Random random(seed);
      const List q = random_position(random, *still, 1), v = random_values(random, still->n_v, 1);
      const List V = random_values(random, 6, 1), Vdot = random_values(random, 6, 3);
      const List pose = random_position(random, *moving, 1);
      const Vec3<double> gravity_W = random.vector(10);
      const size_t base_q = size_t(moving->joints[size_t(moving->joint("free"))].q_index),
                   base_v = size_t(moving->joints[size_t(moving->joint("free"))].v_index);
      ASSERT_EQ(base_q, 0u);
      List q_all(pose.begin(), pose.begin() + 7), v_all = V;
      q_all.insert(q_all.end(), q.begin(), q.end());
      v_all.insert(v_all.end(), v.begin(), v.end());

      Simulation s(moving, solver_factory(solver), Integrator::rk4, 1e-3);
      s.set_gravity(gravity_W);
      Load load;
      load.prescriptions = {
          {moving->joint("free"), [&](double t, std::span<double> rate, std::span<double> change) {
             for (size_t k = 0; k < 6; ++k) rate[k] = V[k] + t * Vdot[k], change[k] = Vdot[k];
           }}};
      s.set_load(load);
      s.set_state(q_all, v_all);
      const Mat3<double> R_WB =
          frame_pose(s.state(), moving->frames[size_t(moving->frame("the_base"))]).R;

      State state(still);
      state.set_q(q);
      state.v = v;
      state.set_gravity(transpose_times(R_WB, gravity_W));
      state.set_world_motion({{V[0], V[1], V[2]}, {V[3], V[4], V[5]}},
                             {{Vdot[0], Vdot[1], Vdot[2]}, {Vdot[3], Vdot[4], Vdot[5]}});
      Solver asked = solver_source()(solver, still);
      const size_t n = size_t(still->n_v);
      List tau(n), vdot(n), M(n * n);
      for (size_t k = 0; k < n; ++k) tau[k] = -still->damping[k] * v[k];
      ASSERT_TRUE(asked.forward(state, tau.data(), vdot.data()));
      ASSERT_TRUE(asked.mass_matrix(state, M.data()));
      const List all(s.acceleration().begin(), s.acceleration().end());
      const Vector actual = Eigen::Map<const Vector>(all.data() + 6, Eigen::Index(n));
      EXPECT_TRUE(
          agree_acceleration(actual, Eigen::Map<const Vector>(vdot.data(), Eigen::Index(n)),
                             Eigen::Map<const Matrix>(M.data(), Eigen::Index(n), Eigen::Index(n))));
      for (size_t k = 0; k < 6; ++k) EXPECT_EQ(all[base_v + k], Vdot[k]);

      // The parts of torque_split must add up to inverse dynamics in a moving world too.
      List parts[4] = {List(n), List(n), List(n), List(n)}, sum(n);
      ASSERT_TRUE(
          asked.torque_split(state, vdot.data(),
                             {parts[0].data(), parts[1].data(), parts[2].data(), parts[3].data()}));
      for (const List& part : parts)
        for (size_t k = 0; k < n; ++k) sum[k] += part[k];
      ASSERT_TRUE(asked.inverse(state, vdot.data(), tau.data()));
      EXPECT_TRUE(agree(Eigen::Map<const Vector>(sum.data(), Eigen::Index(n)) +
                            Vector::Constant(Eigen::Index(n), 1e3),
                        Eigen::Map<const Vector>(tau.data(), Eigen::Index(n)) +
                            Vector::Constant(Eigen::Index(n), 1e3)));
    }
}

// Checks a base that moves at a constant body-fixed twist: its pose is the exponential of a screw.
TEST(Prescribed, PoseIsTheIntegralOfTheTwist) {
  LinkDescription base;
  base.name = "base";
  base.joint.name = "free";
  base.joint.kind = JointKind::floating;
  base.inertia = inertia_about_com(2, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  RobotDescription robot;
  robot.name = "ship";
  robot.links = {base};
  const auto model = build(robot);
  const List V{0.3, -0.8, 0.5, 1, 2, -1};
  for (const Integrator method : every_integrator()) {
    SCOPED_TRACE(name(method));
    Simulation s(model, solver_factory(), method, 0.05);
    s.set_gravity({0, 0, 0});
    Load load;
    load.prescriptions = {{0, [&](double, std::span<double> v, std::span<double> vdot) {
                             std::copy(V.begin(), V.end(), v.begin());
                             std::fill(vdot.begin(), vdot.end(), 0.0);
                           }}};
    s.set_load(load);
    while (s.time() < 3 - 0.01) s.step();
    List expected(7);
    integrate(*model, neutral(*model).data(), V.data(), 3, expected.data());
    for (size_t k = 0; k < 7; ++k) EXPECT_NEAR(s.state().q()[k], expected[k], 1e-12);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-11);
  }
}

// Checks a block of 1 kg on a shaken cart. Friction carries up to 3 N, so the block moves exactly
// with the cart until the acceleration exceeds 3 m/s^2.
TEST(Prescribed, ShakesABlockLoose) {
  const Friction friction{.law = Friction::Law::coulomb, .coulomb = 2, .breakaway = 3};
  const auto model = build(carrying(block({.friction = friction})));
  Simulation s(model, solver_factory(), Integrator::rk4, 1e-3);
  s.set_load(cart_moves(
      *model, [](double t) { return t * t; }, [](double t) { return 2 * t; }));
  while (s.time() < 1.4995) s.step();
  EXPECT_EQ(s.state().v[1], 0);
  EXPECT_EQ(s.state().q()[1], 0);
  EXPECT_NEAR(s.constraint()[1], 2 * s.time(), 1e-12);
  while (s.time() < 2 - 1e-9) s.step();
  // From 1.5 s on, vdot = 2 - 2 t.
  EXPECT_NEAR(s.state().v[1], -(4 - 2.25) + 2 * 0.5, 1e-11);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-10);
}

// Checks a ball between the walls of a cart. It bounces elastically, and the cart keeps its
// velocity.
TEST(Prescribed, CarriesItsWalls) {
  LinkDescription ball = block({.stop = Stop{1}});
  ball.joint.lower = -1, ball.joint.upper = 1;
  const auto model = build(carrying(ball));
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  s.set_load(cart_moves(
      *model, [](double) { return 0.7; }, [](double) { return 0.0; }));
  s.set_state(List{0, 0}, List{0.7, 0.3});
  // In 20 s, the ball travels 6 m relative to the cart: from 0 to 1, to -1, to 1 and back to 0.
  for (int k = 0; k < 2000; ++k) s.step();
  EXPECT_EQ(s.state().v[0], 0.7);
  EXPECT_NEAR(s.state().q()[0], 14, 1e-11);
  EXPECT_NEAR(s.state().q()[1], 0, 1e-11);
  EXPECT_NEAR(s.state().v[1], -0.3, 1e-14);
  EXPECT_NEAR(s.snapshot()[Work::stops], 0, 1e-14);
  EXPECT_NEAR(s.snapshot()[Work::motors], 0.5 * (0.4 * 0.4 - 1), 1e-13);
}

// Checks that a joint that mimics the prescribed one moves with it, by the ratio.
TEST(Prescribed, IsMimicked) {
  LinkDescription follower = block();
  follower.joint.mimic = Mimic{"rail", -2, 0.1};
  const auto model = build(carrying(follower));
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  s.set_load(cart_moves(
      *model, [](double t) { return t; }, [](double) { return 1.0; }));
  s.set_state(List{0, 0.1}, List{0, 0});
  for (int k = 0; k < 100; ++k) s.step();
  EXPECT_EQ(s.state().v[1], -2 * s.state().v[0]);
  EXPECT_NEAR(s.state().q()[0], 0.5, 1e-13);
  EXPECT_NEAR(s.state().q()[1], -0.9, 1e-13);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-12);
}

TEST(Prescribed, ContinuesFromASnapshot) {
  const Friction friction{.law = Friction::Law::coulomb, .coulomb = 0.5, .breakaway = 0.8};
  const auto model = build(carrying(block({.friction = friction})));
  const auto make = [&] {
    Simulation s(model, solver_factory(), Integrator::dormand_prince, 0.01);
    s.set_load(cart_moves(
        *model, [](double t) { return std::sin(3 * t); },
        [](double t) { return 3 * std::cos(3 * t); }));
    return s;
  };
  Simulation whole = make();
  for (int k = 0; k < 60; ++k) {
    Simulation fork = make();
    fork.restore(whole.snapshot());
    whole.step();
    fork.step();
    ASSERT_EQ(bits(whole.snapshot()), bits(fork.snapshot())) << k;
  }
}

std::string rejection_message(const RobotDescription& robot, const Load& load, const List& v = {}) {
  try {
    Simulation s(build(robot), solver_factory(), Integrator::rk4, 1e-3);
    s.set_load(load);
    if (!v.empty()) s.set_state(List(v.size(), 0), v);
    s.step();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Prescribed, RejectsInvalidMotions) {
  const Load constant = cart_moves(
      *build(slider()), [](double) { return 1.0; }, [](double) { return 0.0; });
  const auto with = [](const Drive& drive) {
    RobotDescription robot = slider();
    robot.links[0].joint.drives = {drive};
    robot.links[0].joint.lower = -1;
    return robot;
  };
  EXPECT_EQ(rejection_message(slider(), constant), "");
  EXPECT_THAT(rejection_message(
                  with({.friction = {.law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1}}),
                  constant),
              HasSubstr("the motion of joint 'rail' is prescribed, but it has static friction"));
  EXPECT_THAT(rejection_message(with({.stop = Stop{}}), constant), HasSubstr("has a stop"));
  EXPECT_THAT(rejection_message(with({.elasticity = Elasticity{.stiffness = 1},
                                      .motor = {.rotor_inertia = 1, .friction = {}}}),
                                constant),
              HasSubstr("is elastic"));
  RobotDescription two = carrying(block());
  two.links[0].joint.mimic = Mimic{"slide", 1, 0};
  EXPECT_THAT(rejection_message(two, constant), HasSubstr("mimics another"));
  two =
      carrying(block({.friction = {.law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1}}));
  two.links[1].joint.mimic = Mimic{"rail", 1, 0};
  EXPECT_THAT(rejection_message(two, constant), HasSubstr("a joint that mimics it has"));

  Load load = constant;
  load.prescriptions.push_back(load.prescriptions[0]);
  EXPECT_THAT(rejection_message(slider(), load),
              HasSubstr("the motion of joint 'rail' is prescribed twice"));
  load = constant;
  load.tau = {1};
  EXPECT_THAT(rejection_message(slider(), load), HasSubstr("no torque can be applied"));
  EXPECT_THAT(rejection_message(slider(), constant, {2}),
              HasSubstr("its rate is 1 at t = 0 s and cannot be set to 2"));
  EXPECT_EQ(rejection_message(slider(), constant, {1}), "");
  load = cart_moves(
      *build(slider()), [](double t) { return std::sin(t); },
      [](double t) { return 1.01 * std::cos(t); });
  EXPECT_THAT(rejection_message(slider(), load), HasSubstr("is inconsistent"));
  load = cart_moves(
      *build(slider()), [](double) { return std::nan(""); }, [](double) { return 0.0; });
  EXPECT_THAT(rejection_message(slider(), load),
              HasSubstr("the motion of joint 'rail' is prescribed, but is not finite"));
}

// Checks that each dof is validated on its own. A jump of the velocity is an error, because its
// impulse would not be accounted for. A wrong derivative is detected next to a much faster joint. A
// motion with many periods per step is accepted.
TEST(Prescribed, ValidatesEachColumn) {
  const RobotDescription two = carrying(block());
  const auto with = [&](const std::function<double(double)>& v,
                        const std::function<double(double)>& a, double fast) {
    Load load = cart_moves(*build(two), v, a);
    load.prescriptions.push_back(
        {1, [=](double t, std::span<double> rate, std::span<double> change) {
           rate[0] = fast * std::sin(50 * t), change[0] = 50 * fast * std::cos(50 * t);
         }});
    return load;
  };
  const auto zero = [](double) { return 0.0; };
  EXPECT_EQ(
      rejection_message(two, with([](double t) { return t; }, [](double) { return 1.0; }, 100)),
      "");
  EXPECT_THAT(rejection_message(two, with([](double t) { return t; }, zero, 100)),
              HasSubstr("'rail' is prescribed, but is inconsistent"));
  EXPECT_THAT(rejection_message(two, with([](double t) { return t < 4e-4 ? 0.0 : 1.0; }, zero, 0)),
              HasSubstr("'rail' is prescribed, but jumps"));
  EXPECT_THAT(rejection_message(two, with([](double t) { return t < 1e-3 ? 0.0 : 1.0; }, zero, 0)),
              HasSubstr("'rail' is prescribed, but jumps"));
  const double w = 2e5;  // 32 periods in a step
  EXPECT_EQ(rejection_message(two, with([=](double t) { return std::sin(w * t); },
                                        [=](double t) { return w * std::cos(w * t); }, 0)),
            "");
}

// Checks that no torque can act on a joint that mimics a prescribed one.
TEST(Prescribed, RejectsTorquesOnMimics) {
  RobotDescription two = carrying(block());
  two.links[1].joint.mimic = Mimic{"rail", 1, 0};
  Load load = cart_moves(
      *build(two), [](double) { return 1.0; }, [](double) { return 0.0; });
  load.tau = {0, 1};
  EXPECT_THAT(rejection_message(two, load),
              HasSubstr("no torque can be applied to it, or to a joint that mimics it"));
}

// Checks that a state saved under another prescribed motion is rejected.
TEST(Prescribed, RejectsAStateOfOtherRates) {
  const auto model = build(slider());
  const auto at = [&](double speed) {
    Simulation s(model, solver_factory(), Integrator::rk4, 1e-2);
    s.set_load(cart_moves(
        *model, [=](double) { return speed; }, [](double) { return 0.0; }));
    s.step();
    return s;
  };
  Simulation one = at(1), two = at(2);
  EXPECT_NO_THROW(one.load(at(1).save()));
  EXPECT_THROW(two.load(one.save()), Error);
  EXPECT_EQ(two.state().v[0], 2);
}

// Checks a motion whose velocity has a corner, at which the acceleration jumps.
TEST(Prescribed, MayHaveCorners) {
  const auto model = build(slider());
  Simulation s(model, solver_factory(), Integrator::rk4, 0.01);
  s.set_load(cart_moves(
      *model, [](double t) { return t < 0.335 ? 0 : t - 0.335; },
      [](double t) { return t < 0.335 ? 0.0 : 1.0; }));
  for (int k = 0; k < 100; ++k) s.step();
  EXPECT_NEAR(s.state().q()[0], 0.5 * 0.665 * 0.665, 1e-4);
}

}  // namespace
}  // namespace torsor::test
