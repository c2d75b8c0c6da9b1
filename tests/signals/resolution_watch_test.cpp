// Tests of warnings about runs whose numbers are meaningless although their energy ledger closes.

#include "torsor/signals/resolution_watch.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "simulation/robots.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Experiment moving(std::shared_ptr<const Model> model, double v) {
  Experiment experiment;
  experiment.model = std::move(model);
  experiment.gravity_W = {0, -g, 0};
  experiment.q = {0};
  experiment.v = {v};
  experiment.dt = 1e-3;
  experiment.duration = 0.05;
  return experiment;
}

std::vector<std::string> warnings_of(const Experiment& experiment) {
  Run run(with_solvers(experiment));
  run.execute([](std::span<const double>) {}, [](const Simulation&) { return true; });
  return run.resolution().warnings(run.simulation());
}

// Checks the bound of half a turn per step: 3142 rad/s for steps of 1 ms.
TEST(ResolutionWatch, WarnsAboutMoreThanHalfATurnPerStep) {
  EXPECT_THAT(warnings_of(moving(build(pendulum()), 3000)), IsEmpty());
  EXPECT_THAT(warnings_of(moving(build(pendulum()), 3300)),
              ElementsAre(AllOf(HasSubstr("turns by 3.3 rad in one step at t = 0 s"),
                                HasSubstr("0.001 s"))));
}

TEST(ResolutionWatch, AcceptsAdaptiveStepsAndAnglesWithoutEffect) {
  Experiment adaptive = moving(build(pendulum()), 3300);
  adaptive.integrator = Integrator::dormand_prince;
  EXPECT_THAT(warnings_of(adaptive), IsEmpty());
  Experiment weightless = moving(build(pendulum()), 3300);
  weightless.gravity_W = {0, 0, 0};
  EXPECT_THAT(warnings_of(weightless), IsEmpty());
}

// Checks the bound 3/4 (v/c)^2 = 1e-3 on the relativistic error. It is reached at v = 1.0947e7 m/s.
TEST(ResolutionWatch, WarnsAboutRelativisticSpeeds) {
  EXPECT_THAT(warnings_of(moving(build(slider()), 1.08e7)), IsEmpty());
  EXPECT_THAT(warnings_of(moving(build(slider()), 1.10e7)),
              ElementsAre(HasSubstr("reaches 1.1e+07 m/s at t = 0 s; above 1.09e+07 m/s")));
}

// A torque that rises from zero: in the first step, the rules differ by half of the work. A torque
// of 1 kHz is not resolved by steps of 1 ms.
TEST(ResolutionWatch, WarnsAboutWorkThatIsNotResolved) {
  Experiment experiment = moving(build(pendulum()), 0);
  experiment.integrator = Integrator::implicit_midpoint;
  experiment.gravity_W = {0, 0, 0};
  experiment.load.tau_of_time = [](double t, std::span<double> tau) { tau[0] += 10 * t; };
  EXPECT_THAT(warnings_of(experiment), IsEmpty());
  experiment.load.tau_of_time = [](double t, std::span<double> tau) {
    tau[0] += std::sin(6283.185307 * t);
  };
  EXPECT_THAT(warnings_of(experiment),
              ElementsAre(HasSubstr("the work of motors is not resolved")));
}

// Checks runs of a mass of 1 kg whose kinetic energy overflows although its position and velocity
// are finite.
TEST(ResolutionWatch, ARunWithoutAFiniteEnergyEnds) {
  EXPECT_THAT(
      [] { warnings_of(moving(build(slider()), 1e155)); },
      testing::ThrowsMessage<Error>(AllOf(
          HasSubstr("at t = 0 s (step 0): the kinetic energy is inf J"), HasSubstr("check"))));
  Experiment pushed = moving(build(slider()), 0);
  pushed.load.tau = {1e157};
  EXPECT_THAT([&] { warnings_of(pushed); },
              testing::ThrowsMessage<Error>(AllOf(HasSubstr("in the next step the "),
                                                  HasSubstr("is inf J, which is not a finite"))));
}

}  // namespace
}  // namespace torsor::test
