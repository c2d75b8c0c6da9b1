// Tests of free swings against states of an independent program in extended precision
// (tests/reference/free_swing.json).

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"

namespace torsor::test {
namespace {

struct Swing {
  std::shared_ptr<const Model> model;
  Vec3<double> gravity;
  Json table;
};

Swing iiwa_swing(const std::string& name) {
  const Json table = stored_table("free_swing.json")[name];
  RobotDescription robot = iiwa(stored_table("iiwa_second_order.json"));
  for (LinkDescription& link : robot.links)
    link.joint.damping = table["viscous_damping"].get<double>();
  return {build(robot), {0, 0, -9.80665}, table};
}
Swing double_pendulum_swing() {
  return {build(planar_n_link(Vector::Ones(2), Vector::Ones(2))),
          {0, -g, 0},
          stored_table("free_swing.json")["double_pendulum_regular"]};
}

// Returns the largest error of q and v at the stored times up to `end`.
double swing_error(const Swing& swing, double dt, double end) {
  Simulation simulation(swing.model, solver_factory(), Integrator::rk4, dt);
  simulation.set_gravity(swing.gravity);
  simulation.set_state(swing.table["q0"].get<std::vector<double>>(),
                       swing.table["qd0"].get<std::vector<double>>());
  const int n = swing.model->n_v;
  double error = 0;
  for (size_t row = 0; row < swing.table["t"].size(); ++row) {
    const double t = swing.table["t"][row];
    if (t > end) break;
    const long long steps = std::llround(t / dt);
    EXPECT_NEAR(double(steps) * dt, t, 1e-12) << "the step does not meet the stored times";
    while (simulation.steps() < steps) simulation.step();
    const std::vector<double> expected = swing.table["state"][row];
    for (int k = 0; k < n; ++k) {
      error = std::max(error, std::abs(simulation.state().q()[k] - expected[k]));
      error = std::max(error, std::abs(simulation.state().v[k] - expected[n + k]));
    }
  }
  return error;
}

// Checks that the error is of order four, with three steps a factor of 2 apart. The errors must be
// above rounding, and the time too short for chaos.
void expect_order_four(const Swing& swing, double end, double coarse) {
  const double e1 = swing_error(swing, coarse, end), e2 = swing_error(swing, coarse / 2, end),
               e3 = swing_error(swing, coarse / 4, end);
  EXPECT_NEAR(observed_order(e1, e2), 4, 0.25) << e1 << " " << e2;
  EXPECT_NEAR(observed_order(e2, e3), 4, 0.25) << e2 << " " << e3;
}

#ifdef NDEBUG
#define TORSOR_NEEDS_RELEASE_BUILD()
#else
#define TORSOR_NEEDS_RELEASE_BUILD() \
  GTEST_SKIP() << "too slow in a debug build: a million solver calls"
#endif

// Equations: KHALIL 7.65; JIN 50.
TEST(FreeSwing, DampedIiwaOverTenSeconds) {
  TORSOR_NEEDS_RELEASE_BUILD();
  EXPECT_LT(swing_error(iiwa_swing("iiwa_damped"), 2.5e-5, 10), 1e-8);
}

TEST(FreeSwing, UndampedIiwaOverOneSecond) {
  TORSOR_NEEDS_RELEASE_BUILD();
  EXPECT_LT(swing_error(iiwa_swing("iiwa_undamped"), 4e-5, 1), 1e-8);
}

TEST(FreeSwing, DoublePendulumOverTenSeconds) {
  TORSOR_NEEDS_RELEASE_BUILD();
  EXPECT_LT(swing_error(double_pendulum_swing(), 5e-5, 10), 1e-8);
}

TEST(FreeSwing, DampedIiwaConvergesWithOrderFour) {
  expect_order_four(iiwa_swing("iiwa_damped"), 1, 2.5e-4);
}
TEST(FreeSwing, UndampedIiwaConvergesWithOrderFour) {
  expect_order_four(iiwa_swing("iiwa_undamped"), 0.5, 2.5e-4);
}
TEST(FreeSwing, DoublePendulumConvergesWithOrderFour) {
  expect_order_four(double_pendulum_swing(), 2, 1e-3);
}

}  // namespace
}  // namespace torsor::test
