#pragma once
// Checks that plugins of each kind work in a host of the same or of another minor version of the
// ABI.

#include <cmath>
#include <vector>

#include "host_fixture.hpp"
#include "torsor/handles/tracer.hpp"

namespace torsor::host_test {

// Checks a solver for rows that do not act on one another.
inline void expect_diagonal(ConstraintSolver& solver) {
  const double G[] = {2, 0, 0, 4}, c[] = {-6, 4}, lower[] = {-9, -9}, upper[] = {9, 9};
  double lambda[2] = {NAN, NAN};
  ASSERT_TRUE(solver.solve({G, c, c, lower, upper}, lambda));
  EXPECT_EQ(lambda[0], 3);
  EXPECT_EQ(lambda[1], -1);
}

// Checks the plugins of plugins/versions.cpp, which use the C++ layer.
inline void expect_layered_plugins_work(const Registry& registry) {
  const auto model = pendulum_model(2, 0.5);  // J = 2 0.5^2 = 0.5
  State state(model);
  state.set_q(std::vector{3.0});
  state.v = {4};
  Solver solver = registry.solver("careful", model, {{"gain", 2.0}});
  const double vdot[] = {1, 10, 100, 1000};
  double tau[4] = {NAN, NAN, NAN, NAN}, dq = NAN, dv = NAN, second[4] = {NAN, NAN, NAN, NAN};
  ASSERT_TRUE(solver.inverse(state, vdot, tau));
  EXPECT_EQ(tau[0], 1.0);
  EXPECT_EQ(solver.capability(Quantity::christoffel_symbols), Capability::offered);
  EXPECT_EQ(solver.capability(Quantity::gravity), Capability::derived);
  ASSERT_TRUE(solver.inverse_partials(state, vdot, {&dq, &dv}));
  EXPECT_EQ(dq, 0);
  ASSERT_TRUE(solver.second_partials(state, vdot, {second, second + 1, second + 2, second + 3}));
  EXPECT_EQ(second[3], 0);
  EXPECT_FALSE(solver.has_equation_rates());
  ASSERT_EQ(solver.max_rate_order(), 3);
  ASSERT_TRUE(solver.rates(state, {3, vdot}, tau));
  EXPECT_EQ(tau[3], 1000.0);
  Tracer tracer(registry.object("solver.careful", model), model, Tracer::Frames::of_bodies);
  ASSERT_TRUE(tracer.trace(state, std::span(vdot, 1)));
  EXPECT_EQ(tracer.result()[0], 0.5);

  const auto force = registry.make<Force>("push", model);
  Force::Result result = force->make_result();
  const std::vector<Pose<double>> X(2, Pose<double>::identity());
  const std::vector<Twist<double>> V(2);
  ASSERT_TRUE(force->evaluate(state, {X, V}, nullptr, result));
  EXPECT_EQ(result.tau[0], -3);
  EXPECT_EQ(result.energy, 4.5);
  EXPECT_EQ(result.energy_rate, 12);

  const auto trajectory = registry.make<Trajectory>("ramp", model);
  EXPECT_EQ(trajectory->duration(), 2);
  EXPECT_EQ(trajectory->breaks(), std::vector{1.0});
  Reference reference = trajectory->make_reference(1);
  ASSERT_TRUE(trajectory->evaluate(0.5, reference));
  EXPECT_EQ(reference.q[0], 0.5);

  const auto controller = registry.controller("damp", model, "careful", {0, 0, -9.81});
  ASSERT_EQ(controller->signals().size(), 2u);
  EXPECT_EQ(controller->signals()[1].name, "twice");
  EXPECT_EQ(controller->signals()[1].count, 2u);
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.q = state.q().data();
  input.v = state.v.data();
  Controller::Result answer = controller->make_result();
  ASSERT_TRUE(controller->evaluate(input, answer));
  EXPECT_EQ(answer.tau[0], -4);
  EXPECT_EQ(answer.signal[2], 12);

  const auto constraints = registry.make<ConstraintSolver>("diagonal", model);
  expect_diagonal(*constraints);
  EXPECT_EQ(constraints->iterations(), 7);
  EXPECT_EQ(constraints->residual(), 1e-9);
  EXPECT_THAT(error_of([&] { constraints->reserve(101); }),
              testing::HasSubstr("it supports at most 100 rows"));
}

// Checks the plugins of plugins/rebuilt.c, which are in plain C.
inline void expect_plain_plugins_work(const Registry& registry) {
  const auto model = pendulum_model(2, 0.5);
  State state(model);
  state.time = 3;
  Solver solver = registry.solver("rebuilt", model);
  const double vdot = 4;
  double tau = NAN;
  ASSERT_TRUE(solver.inverse(state, &vdot, &tau));
  EXPECT_EQ(tau, 2);

  const auto force = registry.make<Force>("rebuilt", model);
  Force::Result result = force->make_result();
  const std::vector<Pose<double>> X(2, Pose<double>::identity());
  const std::vector<Twist<double>> V(2);
  const double x = 0.5;
  ASSERT_TRUE(force->evaluate(state, {X, V}, &x, result));
  EXPECT_EQ(result.tau[0], 3.5);
  EXPECT_EQ(result.xdot[0], 1);

  const auto trajectory = registry.make<Trajectory>("rebuilt", model);
  Reference reference = trajectory->make_reference(1);
  ASSERT_TRUE(trajectory->evaluate(0.5, reference));
  EXPECT_EQ(reference.v[0], std::cos(0.5));

  const auto controller = registry.controller("rebuilt", model, "rebuilt", {0, 0, -9.81});
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.q = state.q().data();
  input.v = state.v.data();
  const double memory = 4;
  input.memory = &memory;
  Controller::Result answer = controller->make_result();
  ASSERT_TRUE(controller->evaluate(input, answer));
  EXPECT_EQ(answer.tau[0], 4);
  EXPECT_EQ(answer.memory[0], 5);

  expect_diagonal(*registry.make<ConstraintSolver>("rebuilt", model));
}

}  // namespace torsor::host_test
