// Tests of the measured order of every integrator, and of the free rigid body: conserved angular
// momentum, and flips with the period of the closed form.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "simulation/robots.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

// Returns a body on a joint, with the inertia diag(1, 2, 3) kg m^2 about its COM.
std::shared_ptr<const Model> body(JointKind kind) {
  LinkDescription link;
  link.name = "body";
  link.joint.name = "free";
  link.joint.kind = kind;
  link.joint.placement = ScrewPlacement{};
  link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 2, 3, 0, 0, 0});
  RobotDescription robot;
  robot.name = "body";
  robot.links = {link};
  return build(robot);
}

// Returns the angular momentum R I w in world axes. The frame of the link is at the COM.
Vec3<double> angular_momentum(const Simulation& s) {
  const Vec3<double> w{s.state().v[0], s.state().v[1], s.state().v[2]};
  return frame_pose(s.state(), s.model().frames[0]).R * Vec3<double>{w.x, 2 * w.y, 3 * w.z};
}

std::vector<double> spin(const Model& model, const Vec3<double>& w) {
  std::vector<double> v(size_t(model.n_v), 0.0);
  const double n = norm(w);
  v[0] = w.x / n, v[1] = w.y / n, v[2] = w.z / n;
  return v;
}

TEST(FreeBody, AngularMomentumIsKept) {
  for (const JointKind kind : {JointKind::spherical, JointKind::floating}) {
    const auto model = body(kind);
    Simulation s(model, solver_factory(), Integrator::rk4, 1e-3);
    s.set_gravity({0, 0, 0});
    s.set_state(neutral(*model), spin(*model, {0.3, 1, -0.4}));
    const Vec3<double> start = angular_momentum(s);
    double most = 0;
    for (int k = 0; k < 100000; ++k) {
      s.step();
      most = std::max(most, norm(angular_momentum(s) - start));
    }
    const auto q = s.state().q().last(4);
    std::printf("%-9s angular momentum kept to %.1e N m s of %.2f; |q| - 1 = %.1e\n",
                traits(kind).name.data(), most, norm(start),
                std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
    EXPECT_LT(most, 1e-12);
  }
}

// Checks the period of a rotation near the axis of the intermediate moment of inertia (Landau and
// Lifshitz, Mechanics, 37), for L^2 > 2 E I_2:
//   omega_2 = a sn(tau),  tau = t sqrt((I_3 - I_2)(L^2 - 2 E I_1) / (I_1 I_2 I_3)),
//   k^2 = (I_2 - I_1)(2 E I_3 - L^2) / ((I_3 - I_2)(L^2 - 2 E I_1)),  period 4 K(k) in tau
TEST(FreeBody, FlipsAtThePeriodOfTheEllipticFunction) {
  const auto model = body(JointKind::spherical);
  const std::vector<double> w = spin(*model, {0.05, 1, 0.05});
  const double two_E = w[0] * w[0] + 2 * w[1] * w[1] + 3 * w[2] * w[2],
               L2 = w[0] * w[0] + 4 * w[1] * w[1] + 9 * w[2] * w[2];
  const double k = std::sqrt((3 * two_E - L2) / (L2 - two_E));
  const double period = 4 * std::comp_ellint_1(k) / std::sqrt((L2 - two_E) / 6);
  for (const Integrator integrator : {Integrator::rk4, Integrator::fehlberg}) {
    const double dt = integrator == Integrator::rk4 ? 1e-3 : 1e-2;
    Simulation s(model, solver_factory(), integrator, dt, {1e-12, 1e-13});
    s.set_gravity({0, 0, 0});
    s.set_state(neutral(*model), w);
    // The times of upward crossings of zero, from the cubic interpolant of a step.
    std::vector<double> crossings;
    double before = w[1], rate_before = s.acceleration()[1];
    while (crossings.size() < 3) {
      s.step();
      const double now = s.state().v[1], rate = s.acceleration()[1];
      if (before < 0 && now >= 0) {
        double x = before / (before - now);
        for (int i = 0; i < 20; ++i) {
          const double b = dt * rate_before, e = dt * rate, rise = now - before,
                       c = 3 * rise - 2 * b - e, d = b + e - 2 * rise;
          x -= (before + x * (b + x * (c + x * d))) / (b + x * (2 * c + 3 * x * d));
        }
        crossings.push_back(s.time() - dt + x * dt);
      }
      before = now, rate_before = rate;
    }
    const double measured = (crossings[2] - crossings[0]) / 2;
    std::printf("%-9s flips every %.12f s, closed form %.12f s\n", name(integrator), measured,
                period);
    EXPECT_NEAR(measured, period, 1e-6 * period);
  }
}

// Measures the order on a link with an elastic joint, up to 0.5 s. The reference is an independent
// program (tests/reference/elastic.json).
// - An explicit adaptive method has wide tolerances, so that its steps are max_step.
// - DIRK needs small tolerances, because it solves its stages to a fraction of the tolerance.
// - BDF selects order and step, so only the effect of its tolerance on the error is tested.
TEST(Integrators, HaveTheirOrder) {
  const Json table = stored_table("elastic.json")["simulations"][0];
  LinkDescription link;
  link.name = "link";
  link.joint.name = "joint";
  link.joint.kind = JointKind::revolute;
  link.joint.placement = ScrewPlacement{};
  link.joint.drives = {Drive{.elasticity = Elasticity{.stiffness = 100}, .motor = {0.1, 1, {}}}};
  link.inertia = inertia_about_com(2, {0.5, 0, 0}, {0.02, 0.02, 0.02, 0, 0, 0});
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {link};
  const auto model = build(robot);
  const auto error = [&](Integrator integrator, double dt, const Tolerances& tolerances) {
    Simulation s(model, solver_factory(), integrator, dt, tolerances);
    s.set_gravity({0, -9.81, 0});
    s.set_state(std::vector<double>{0.4}, std::vector<double>{0});
    double most = 0;
    for (int row = 1; row <= 5; ++row) {
      while (s.time() < 0.1 * row - dt / 2) s.step();
      const std::vector<double> expected = table["state"][row];
      most = std::max(
          {most, std::abs(s.state().q()[0] - expected[0]), std::abs(s.motor_q()[0] - expected[1]),
           std::abs(s.state().v[0] - expected[2]), std::abs(s.motor_v()[0] - expected[3])});
    }
    return most;
  };
  // Steps in 0.5 s for which the error is above the rounding error and below the size of the
  // motion.
  const auto steps_of = [](const IntegratorTraits& method) {
    return method.order == 1   ? 50000
           : method.order == 2 ? 1000
           : method.order < 5  ? 1600
           : method.order < 8  ? 200
                               : 25;
  };
  std::printf("%-20s %-10s %-10s %s\n", "integrator", "h", "error", "order");
  for (const Integrator integrator : every_integrator()) {
    const int order = traits(integrator).order;
    if (order == 0) continue;
    const int steps = steps_of(traits(integrator));
    const double h = 0.5 / steps;
    const auto at = [&](double step) {
      return traits(integrator).is_adaptive
                 ? error(integrator, 0.1,
                         integrator == Integrator::dirk ? Tolerances{1e-10, 1e-10, step}
                                                        : Tolerances{1e3, 1e3, step})
                 : error(integrator, step, {});
    };
    const double coarse = at(h), fine = at(h / 2);
    std::printf("%-20s %-10.2g %-10.2g %.2f\n", name(integrator), h, coarse,
                observed_order(coarse, fine));
    // time_stepping loses its second order only to contacts, damping and prescribed motion.
    const int expected = integrator == Integrator::time_stepping ? 2 : order;
    EXPECT_NEAR(observed_order(coarse, fine), expected, 0.35) << name(integrator);
  }
  const double loose = error(Integrator::bdf, 0.1, {1e-6, 1e-6}),
               tight = error(Integrator::bdf, 0.1, {1e-9, 1e-9});
  std::printf("%-20s tolerance 1e-6: %.1e, 1e-9: %.1e\n", "bdf", loose, tight);
  EXPECT_LT(tight, loose / 30);
}

}  // namespace
}  // namespace torsor::test
