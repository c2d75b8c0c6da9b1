// Tests of the integrators against closed forms and against their own definitions.

#include <gtest/gtest.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

struct Arm {
  std::shared_ptr<const Model> model;
  std::vector<double> q, v;
};
Arm random_arm(uint64_t seed, double damping) {
  RobotDescription robot = random_robot(9, Shape::tree, seed);
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = damping;
  Random random(seed + 1);
  const auto model = build(robot);
  return {model, random_position(random, *model, 1), random_values(random, model->n_v, 1)};
}

// Compares one step with the algorithm of MR: q + h v, v + h M^-1 (tau - b - D v).
TEST(Integrator, EulerIsItsDefinition) {
  TORSOR_TRACE_SEED(11);
  const Arm arm = random_arm(11, 0.3);
  const double h = 1e-3;
  Simulation simulation(arm.model, solver_factory(), Integrator::euler, h);
  simulation.set_state(arm.q, arm.v);
  State state(arm.model);
  state.set_q(arm.q);
  state.v = arm.v;
  Solver solver = solver_factory("newton_euler")(arm.model);
  const int n = arm.model->n_v;
  std::vector<double> tau(n), vdot(n), q(arm.q);
  for (int k = 0; k < n; ++k) tau[k] = -0.3 * arm.v[k];
  ASSERT_TRUE(solver.forward(state, tau.data(), vdot.data()));
  simulation.step();
  integrate(*arm.model, arm.q.data(), arm.v.data(), h, q.data());
  for (int k = 0; k < arm.model->n_q; ++k) EXPECT_NEAR(simulation.state().q()[k], q[k], 1e-14);
  for (int k = 0; k < n; ++k) {
    EXPECT_NEAR(simulation.state().v[k], arm.v[k] + h * vdot[k], 1e-10 * (1 + std::abs(vdot[k])));
  }
}

// Checks that one step satisfies M (v+ - v)/h + b + D v+ = 0 and q+ = q + h v+. M and b are those
// of another solver.
TEST(Integrator, SemiImplicitEulerIsItsDefinition) {
  TORSOR_TRACE_SEED(12);
  const double h = 1e-2, D = 5;
  const Arm arm = random_arm(12, D);
  Simulation simulation(arm.model, solver_factory(), Integrator::semi_implicit_euler, h);
  simulation.set_state(arm.q, arm.v);
  simulation.step();
  State state(arm.model);
  state.set_q(arm.q);
  state.v = arm.v;
  Solver solver = solver_factory("newton_euler")(arm.model);
  const int n = arm.model->n_v;
  Matrix M(n, n);
  Vector b(n), v1(n), v0(n);
  ASSERT_TRUE(solver.mass_matrix(state, M.data()));
  ASSERT_TRUE(solver.bias(state, b.data()));
  for (int k = 0; k < n; ++k) {
    v0[k] = arm.v[k];
    v1[k] = simulation.state().v[k];
  }
  std::vector<double> q(arm.q);
  integrate(*arm.model, arm.q.data(), v1.data(), h, q.data());
  for (int k = 0; k < arm.model->n_q; ++k) EXPECT_NEAR(simulation.state().q()[k], q[k], 1e-13);
  const Vector residual = M * (v1 - v0) / h + b + D * v1;
  EXPECT_LT(residual.norm(), agreement * (b.norm() + D * v1.norm()));
}

// Checks a damper with D h / m = 100, with which explicit Euler multiplies v by -99 in each step.
TEST(Integrator, SemiImplicitEulerIsStableForStiffDamping) {
  Simulation simulation(build(slider(1e4)), solver_factory(), Integrator::semi_implicit_euler,
                        1e-2);
  simulation.set_state(std::vector<double>{0}, std::vector<double>{1});
  simulation.step();
  EXPECT_NEAR(simulation.state().v[0], 1.0 / 101, 1e-15);
}

TEST(Integrator, EverySolverGivesTheSameMotion) {
  TORSOR_TRACE_SEED(13);
  const Arm arm = random_arm(13, 0.1);
  for (const Integrator integrator :
       {Integrator::euler, Integrator::semi_implicit_euler, Integrator::rk4}) {
    std::vector<double> end[2];
    for (int s = 0; s < 2; ++s) {
      Simulation simulation(arm.model, solver_factory(s ? "newton_euler" : "articulated_body"),
                            integrator, 1e-3);
      simulation.set_state(arm.q, arm.v);
      for (int k = 0; k < 50; ++k) simulation.step();
      end[s] = simulation.state().v;
    }
    const int n = arm.model->n_v;
    const Vector a = Eigen::Map<Vector>(end[0].data(), n), b = Eigen::Map<Vector>(end[1].data(), n);
    EXPECT_LT((a - b).norm(), 1e-8 * a.norm()) << name(integrator);
  }
}

// Checks that the error of the energy ledger is of fourth order for RK4, with work of dampers,
// motors and wrenches.
TEST(Integrator, EnergyLedgerClosesWithOrderFour) {
  TORSOR_TRACE_SEED(14);
  Arm arm = random_arm(14, 0.2);
  Load load;
  load.tau = std::vector<double>(size_t(arm.model->n_v), 0.5);
  int moving = 0;
  while (arm.model->frames[size_t(moving)].body == 0) ++moving;
  load.wrench_F = {{moving, {{0.1, -0.2, 0.3}, {1, 2, -1}}}};
  const auto drift = [&](double h) {
    Simulation simulation(arm.model, solver_factory(), Integrator::rk4, h);
    simulation.set_load(load);
    simulation.set_state(arm.q, arm.v);
    while (simulation.time() < 0.1 - h / 2) simulation.step();
    EXPECT_GT(-simulation.snapshot()[Work::damping], 0);
    EXPECT_NE(simulation.snapshot()[Work::motors], 0);
    EXPECT_NE(simulation.snapshot()[Work::wrenches], 0);
    return std::abs(simulation.ledger_error());
  };
  EXPECT_NEAR(observed_order(drift(1.0 / 1280), drift(1.0 / 2560)), 4, 0.5);
}

}  // namespace
}  // namespace torsor::test
