// Tests of Simulation: determinism, snapshots and failures.

#include "torsor/simulation/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "support/allocation_counter.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Simulation random_simulation(Integrator integrator, uint64_t seed = 3) {
  RobotDescription robot = random_robot(7, Shape::tree, seed);
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = 0.1;
  Simulation simulation(build(robot), solver_factory(), integrator, 1e-3);
  Random random(seed);
  const Model& model = simulation.model();
  simulation.set_state(random_position(random, model, 1), random_values(random, model.n_v, 1));
  return simulation;
}

TEST(Simulation, SameStartGivesTheSameBits) {
  for (const Integrator integrator : explicit_integrators()) {
    Simulation a = random_simulation(integrator), b = random_simulation(integrator);
    for (int k = 0; k < 100; ++k) a.step(), b.step();
    EXPECT_EQ(a.state_hash(), b.state_hash()) << name(integrator);
    b.step();
    EXPECT_NE(a.state_hash(), b.state_hash());
  }
}

TEST(Simulation, SnapshotRestoredStepsToTheSameBits) {
  for (const Integrator integrator : explicit_integrators()) {
    Simulation simulation = random_simulation(integrator), fork = random_simulation(integrator);
    for (int k = 0; k < 10; ++k) simulation.step();
    const Snapshot snapshot = simulation.snapshot();
    for (int k = 0; k < 25; ++k) simulation.step();
    const uint64_t hash = simulation.state_hash();
    const double drift = simulation.ledger_error(),
                 dissipated = -simulation.snapshot()[Work::damping];
    for (Simulation* again : {&simulation, &fork}) {
      again->restore(snapshot);
      for (int k = 0; k < 25; ++k) again->step();
      EXPECT_EQ(again->state_hash(), hash) << name(integrator);
      EXPECT_EQ(again->ledger_error(), drift);
      EXPECT_EQ(-again->snapshot()[Work::damping], dissipated);
    }
  }
}

TEST(Simulation, TimeIsCountedInSteps) {
  Simulation simulation = random_simulation(Integrator::euler);
  for (int k = 0; k < 1000; ++k) simulation.step();
  EXPECT_EQ(simulation.time(), 1000 * 1e-3);
  EXPECT_EQ(simulation.state().time, simulation.time());
}

TEST(Simulation, AStepAllocatesNothing) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call, which allocates";
#endif
  for (const Integrator integrator : explicit_integrators()) {
    for (const char* solver : {"articulated_body", "newton_euler"}) {
      const auto model = build(random_robot(7, Shape::tree, 5));
      Simulation simulation(model, solver_factory(solver), integrator, 1e-3);
      simulation.set_load({.tau = std::vector<double>(size_t(model->n_v), 0.1),
                           .wrench_F = {{0, {{1, 0, 0}, {0, 1, 0}}}}});
      const long before = allocations();
      for (int k = 0; k < 10; ++k) simulation.step();
      EXPECT_EQ(allocations() - before, 0) << name(integrator) << " " << solver;
    }
  }
}

// Checks changes without damping, torques or wrenches. Only the changes add energy, so the ledger
// error is that of the integrator. The clock continues.
TEST(Simulation, ChangesKeepTheClockAndTheLedger) {
  for (const Integrator integrator : explicit_integrators()) {
    Simulation simulation = random_simulation(integrator);
    Random random(9);
    for (int k = 0; k < 5; ++k) {
      for (int n = 0; n < 10; ++n) simulation.step();
      const double drift = simulation.ledger_error(), energy = simulation.energy().sum(),
                   supplied = simulation.snapshot()[Work::changes];
      simulation.change_state(random_position(random, simulation.model(), 1),
                              random_values(random, simulation.model().n_v, 1));
      const double gained = simulation.energy().sum() - energy;
      EXPECT_GT(std::abs(gained), 1e-3) << "the test would show nothing";
      EXPECT_NEAR(simulation.snapshot()[Work::changes] - supplied, gained,
                  1e-14 * (std::abs(energy) + std::abs(gained)));
      EXPECT_NEAR(simulation.ledger_error(), drift, 1e-13 * (std::abs(energy) + std::abs(gained)));
      simulation.change_torque(random_values(random, simulation.model().n_v, 1));
      simulation.change_solver(solver_factory(k % 2 ? "articulated_body" : "newton_euler"));
      EXPECT_NEAR(simulation.ledger_error(), drift, 1e-13 * (std::abs(energy) + std::abs(gained)));
      EXPECT_EQ(simulation.steps(), 10 * (k + 1));
      EXPECT_EQ(simulation.state().time, simulation.time());
    }
  }
}

// Checks that the energy error is as small after changes as without them, and that it decreases
// with the order of the integrator in both cases.
TEST(Simulation, EnergyIsConservedAfterChangesAsBefore) {
  const auto error = [](double dt, bool changes) {
    Simulation simulation(build(planar_n_link(Vector::Ones(2), Vector::Ones(2))), solver_factory(),
                          Integrator::rk4, dt);
    simulation.set_gravity({0, -g, 0});
    const auto run_to = [&](double t) {
      while (simulation.time() < t - dt / 2) simulation.step();
    };
    run_to(0.1);
    if (changes) {
      simulation.change_state(std::vector<double>{1, -0.5}, std::vector<double>{2, 3});
      simulation.change_torque(std::vector<double>{4, -2});
      simulation.change_solver(solver_factory("lie_group"));
      EXPECT_GT(std::abs(simulation.snapshot()[Work::changes]), 1);
    }
    run_to(0.2);
    return simulation.ledger_error();
  };
  for (const bool changes : {false, true}) {
    EXPECT_NEAR(error(1e-3, changes), 0, 1e-9);
    EXPECT_NEAR(observed_order(error(5e-3, changes), error(2.5e-3, changes)), 4, 0.3);
  }
}

TEST(Simulation, AnotherSolverTakesOverTheStateToTheBit) {
  for (const Integrator integrator : explicit_integrators()) {
    Simulation simulation = random_simulation(integrator, 5),
               without = random_simulation(integrator, 5);
    for (int k = 0; k < 20; ++k) simulation.step(), without.step();
    simulation.change_solver(solver_factory("newton_euler"));
    EXPECT_EQ(bits(simulation.snapshot()), bits(without.snapshot()));
    EXPECT_EQ(simulation.solver().id(), "solver.newton_euler");
    simulation.step(), without.step();
    for (int k = 0; k < 7; ++k)
      EXPECT_NEAR(simulation.state().v[k], without.state().v[k],
                  1e-10 * (1 + std::abs(without.state().v[k])));
    for (int k = 0; k < 100; ++k) simulation.step(), without.step();
    EXPECT_NE(bits(simulation.snapshot()), bits(without.snapshot()))
        << "the other solver made these steps";
  }
}

TEST(Simulation, AFailedChangeOfSolverChangesNothing) {
  Simulation simulation = random_simulation(Integrator::semi_implicit_euler),
             without = random_simulation(Integrator::semi_implicit_euler);
  int asked = 0;
  const auto second_fails = [&](std::shared_ptr<const Model> model) {
    if (++asked == 2) throw Error("none");
    return solver_factory("newton_euler")(std::move(model));
  };
  EXPECT_THROW(simulation.change_solver(second_fails), Error);
  EXPECT_EQ(simulation.solver().id(), "solver.articulated_body");
  simulation.step(), without.step();
  EXPECT_EQ(bits(simulation.snapshot()), bits(without.snapshot()));
}

// Checks explicit Euler on a stiff damper. It multiplies v by 1 - D h / m = -1e6 in each step,
// until v overflows.
TEST(Simulation, ADivergingRunStopsAtItsLastFiniteStep) {
  Simulation simulation(build(slider(1e6)), solver_factory(), Integrator::euler, 1);
  simulation.set_state(std::vector<double>{0}, std::vector<double>{1});
  const std::string error = error_of([&] {
    for (int k = 0; k < 1000; ++k) simulation.step();
  });
  EXPECT_THAT(error, AllOf(HasSubstr("rail"), HasSubstr("not a finite number"),
                           HasSubstr("smaller dt"), HasSubstr("t = ")));
  EXPECT_TRUE(std::isfinite(simulation.state().v[0]));
  EXPECT_GT(simulation.steps(), 10);
  EXPECT_EQ(simulation.time(), double(simulation.steps()));
}

TEST(Simulation, ASingularMassMatrixNamesTheJoint) {
  RobotDescription robot = planar_n_link(Vector::Ones(3), Vector::Ones(3));
  robot.links[2].inertia = SpatialInertia<double>::zero();
  for (const char* solver : {"articulated_body", "newton_euler"}) {
    Simulation simulation(build(robot), solver_factory(solver), Integrator::rk4, 1e-3);
    EXPECT_THAT(error_of([&] { simulation.step(); }),
                AllOf(HasSubstr("singular"), HasSubstr("joint3"), HasSubstr("armature"),
                      Not(HasSubstr("dt"))));
  }
}

TEST(Simulation, RejectsInvalidSteps) {
  const auto model = build(slider());
  const auto with_dt = [&](double dt) {
    return error_of([&] { Simulation(model, solver_factory(), Integrator::rk4, dt); });
  };
  for (const double dt : {0.0, -1e-3, std::nan(""), HUGE_VAL})
    EXPECT_THAT(with_dt(dt), HasSubstr("positive number")) << dt;
  Simulation simulation(model, solver_factory(), Integrator::rk4, 1e-3);
  EXPECT_THAT(error_of([&] {
                simulation.set_state(std::vector<double>{0, 1}, std::vector<double>{1});
              }),
              HasSubstr("q has 2"));
  EXPECT_THAT(
      error_of([&] { simulation.set_state(std::vector<double>{NAN}, std::vector<double>{1}); }),
      HasSubstr("finite"));
  EXPECT_THAT(error_of([&] {
                simulation.set_load({.tau = {1, 2}});
              }),
              HasSubstr("1 finite numbers"));
  EXPECT_THAT(
      error_of([&] { simulation.change_state(std::vector<double>{0}, std::vector<double>{}); }),
      HasSubstr("v has 0"));
  EXPECT_THAT(error_of([&] { simulation.change_torque(std::vector<double>{}); }),
              HasSubstr("1 finite numbers"));
}

TEST(Simulation, DurationsAreWholeNumbersOfSteps) {
  EXPECT_EQ(step_count(10, 4e-5, "it"), 250000);
  EXPECT_EQ(step_count(0.3, 0.1, "it"), 3);
  EXPECT_EQ(step_count(1e6, 1e-3, "it"), 1000000000);
  EXPECT_THAT(error_of([] { step_count(1, 0.3, "the duration"); }),
              HasSubstr("the duration of 1 s is not a whole number"));
  EXPECT_THAT(error_of([] { step_count(0, 0.3, "it"); }), HasSubstr("must be positive"));
  EXPECT_THAT(error_of([] { step_count(-1, 0.5, "it"); }), HasSubstr("must be positive"));
  EXPECT_THAT(error_of([] { step_count(NAN, 0.5, "it"); }), HasSubstr("must be positive"));
  EXPECT_THAT(error_of([] { step_count(1e300, 1e-3, "it"); }), HasSubstr("too many steps"));
}

}  // namespace
}  // namespace torsor::test
