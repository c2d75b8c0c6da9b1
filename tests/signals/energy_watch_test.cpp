// Tests of the energy error of a run. It is small for valid runs. It exceeds the bound for a step
// that is too long, a faulty solver or a faulty force.

#include "torsor/signals/energy_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "handles/table_force.hpp"
#include "simulation/robots.hpp"
#include "support/table_solver.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

Experiment falling_pendulum(Integrator integrator, double dt) {
  Experiment experiment;
  experiment.model = build(pendulum());
  experiment.gravity_W = {0, -g, 0};
  experiment.q = {0};
  experiment.v = {0};
  experiment.integrator = integrator;
  experiment.dt = dt;
  experiment.duration = 1;
  return experiment;
}

EnergyWatch watched(const Experiment& experiment, const SolverSource& source = solver_source()) {
  Run run(with_solvers(experiment, source));
  run.execute([](std::span<const double>) {}, [](const Simulation&) { return true; });
  return run.energy();
}

TEST(EnergyWatch, AcceptsAccurateRuns) {
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::implicit_midpoint, Integrator::dormand_prince,
        Integrator::fehlberg, Integrator::dirk, Integrator::bdf}) {
    const EnergyWatch energy = watched(falling_pendulum(integrator, 1e-3));
    EXPECT_FALSE(energy.is_exceeded()) << name(integrator) << " " << energy.relative_error();
    EXPECT_NEAR(energy.largest(), g, 1e-2) << "the fall of 1 kg by 1 m";
  }
}

// Checks explicit Euler, whose error is of the order of dt. A step of 10 ms exceeds the default
// bound, but not a bound of 1.
TEST(EnergyWatch, DetectsASimulationWithALongStep) {
  Experiment experiment = falling_pendulum(Integrator::euler, 1e-2);
  const EnergyWatch energy = watched(experiment);
  EXPECT_TRUE(energy.is_exceeded());
  EXPECT_GT(energy.relative_error(), 1e-2);
  EXPECT_GT(energy.time(), 0);
  experiment.energy_tolerance = 1;
  EXPECT_FALSE(watched(experiment).is_exceeded());
}

// Checks a solver that computes accelerations with gravity in the opposite direction.
TEST(EnergyWatch, DetectsAFaultySolver) {
  static torsor_solver exact;
  exact = dense_solver_table();
  torsor_solver wrong = exact;
  wrong.forward = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                     const double* tau, double* work, double* vdot) -> torsor_status {
    torsor_state turned = *s;
    double A_W[6];
    for (int k = 0; k < 6; ++k) A_W[k] = -s->A_W[k];
    turned.A_W = A_W;
    return exact.forward(p, m, &turned, tau, work, vdot);
  };
  const auto source = [&](const std::string&, std::shared_ptr<const Model> model) {
    return table_solver(wrong, std::move(model));
  };
  const EnergyWatch energy = watched(falling_pendulum(Integrator::rk4, 1e-3), source);
  EXPECT_TRUE(energy.is_exceeded());
  EXPECT_GT(energy.relative_error(), 0.5);
}

// Checks a spring of 20 N/m, which stores the energy 10 q^2. The watch accepts a spring that
// reports this energy, but not one that reports half of it.
TEST(EnergyWatch, DetectsAForceWithAWrongEnergy) {
  for (const double said : {0.5, 0.25}) {
    Experiment experiment;
    experiment.model = build(slider());
    experiment.q = {1};
    experiment.v = {0};
    experiment.duration = 1;
    experiment.load.forces = {table_force(
        experiment.model,
        [=](const torsor_state& s, const torsor_kinematics&, const double*, torsor_force_out& out) {
          out.tau[0] = -20 * s.q[0];
          out.energy = said * 20 * s.q[0] * s.q[0];
          out.energy_rate = 20 * s.q[0] * s.v[0];
          return TORSOR_OK;
        })};
    EXPECT_EQ(watched(experiment).is_exceeded(), said != 0.5) << said;
  }
}

// Checks a force that fails at the end of step 8. There its energy is requested before its torque.
TEST(EnergyWatch, NamesAForceWhoseEnergyFails) {
  Experiment experiment;
  experiment.model = build(slider());
  experiment.q = {0};
  experiment.v = {1};
  experiment.integrator = Integrator::euler;
  experiment.dt = 1e-3;
  experiment.duration = 1;
  experiment.load.forces = {table_force(
      experiment.model,
      [](const torsor_state& s, const torsor_kinematics&, const double*, torsor_force_out& out) {
        out.energy = s.q[0] < 7.5e-3 ? 0 : std::numeric_limits<double>::quiet_NaN();
        return TORSOR_OK;
      })};
  EXPECT_THAT([&] { watched(experiment); }, testing::ThrowsMessage<Error>(testing::AllOf(
                                                testing::StartsWith("at t = 0.008 s (step 8): "),
                                                testing::HasSubstr("force 'force.table'"))));
}

// Checks that potential energy is counted from its value at the start, so that the bound for a
// robot 1 km up is the same. A robot at rest must have no error except rounding.
TEST(EnergyWatch, DoesNotDependOnTheHeightOfTheWorld) {
  for (const double height : {0.0, 1000.0}) {
    ModelBuilder builder;
    builder.add(pendulum(), translation<double>({0, height, 0}));
    Experiment experiment = falling_pendulum(Integrator::euler, 1e-2);
    experiment.model = builder.build();
    EXPECT_GT(watched(experiment).relative_error(), 1e-2) << height;
    for (const Integrator integrator : every_integrator()) {
      experiment.integrator = integrator;
      experiment.dt = 1e-3;
      experiment.load.tau = {g};  // the torque that balances gravity
      const EnergyWatch still = watched(experiment);
      EXPECT_FALSE(still.is_exceeded())
          << name(integrator) << " " << still.error() << " of " << still.largest();
    }
  }
}

}  // namespace
}  // namespace torsor::test
