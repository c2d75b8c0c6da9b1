// Tests of runs of experiments.

#include "torsor/run/experiment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulation/robots.hpp"
#include "torsor/run/describe.hpp"
#include "torsor/run/run.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

Experiment pendulum_swing() {
  Experiment experiment;
  experiment.model = build(pendulum(0.1));
  experiment.q = {0.5};
  experiment.v = {0};
  experiment.gravity_W = {0, -g, 0};
  experiment.duration = 0.1;
  experiment.record = {"energy"};
  experiment.parameters = {{"n", 1.0}, {"soft", true}, {"kind", "a"}};
  return experiment;
}

TEST(Run, RowsComeAtTheIntervalAndAtTheEnd) {
  Experiment experiment = pendulum_swing();
  experiment.record_interval = 0.03;
  torsor::Run run(with_solvers(experiment));
  std::vector<double> times;
  run.execute([&](std::span<const double> row) { times.push_back(row[0]); },
              [](const Simulation&) { return true; });
  ASSERT_EQ(times.size(), 5u);
  const double expected[] = {0, 0.03, 0.06, 0.09, 0.1};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(times[k], expected[k], 1e-15);
}

TEST(Run, ARunStopsOnRequest) {
  torsor::Run run(with_solvers(pendulum_swing()));
  run.execute([](std::span<const double>) {}, [](const Simulation& s) { return s.steps() < 7; });
  EXPECT_EQ(run.simulation().steps(), 7);
}

TEST(Run, ARunThatCannotStartWritesNothing) {
  RobotDescription massless = pendulum();
  massless.links[0].inertia = SpatialInertia<double>::zero();
  Experiment experiment = pendulum_swing();
  experiment.model = build(massless);
  EXPECT_THAT([&] { torsor::Run(with_solvers(experiment)); },
              testing::ThrowsMessage<Error>(HasSubstr("singular")));
}

TEST(Run, AValueThatIsNotFiniteStopsTheRecording) {
  Experiment experiment = pendulum_swing();
  experiment.model = build(slider());
  experiment.v = {1e200};  // finite, but its energy is not
  torsor::Run run(with_solvers(experiment));
  EXPECT_THAT(
      [&] { run.execute([](std::span<const double>) {}, [](const Simulation&) { return true; }); },
      testing::ThrowsMessage<Error>(HasSubstr("the kinetic energy is inf J")));
}

TEST(Run, DescriptionStatesTheRun) {
  const auto json = describe(pendulum_swing());
  EXPECT_EQ(json["parameters"]["n"], 1.0);
  EXPECT_EQ(json["parameters"]["soft"], true);
  EXPECT_EQ(json["parameters"]["kind"], "a");
  EXPECT_EQ(json["integrator"], "rk4");
  EXPECT_EQ(json["model"]["joints"][0]["damping"], 0.1);
  EXPECT_EQ(json["model"]["joints"][0]["upper"], nullptr);
  EXPECT_EQ(json["model"]["joints"][0]["unit"], "rad");
}

}  // namespace
}  // namespace torsor::test
