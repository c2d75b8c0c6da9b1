// Tests of the tasks of SimBenchmark: each error must be small for a right simulation, and large
// for a wrong one. No test depends on a time.

#include <gmock/gmock.h>

#include <cmath>

#include "bench/simbenchmark/measure.hpp"
#include "bench/simbenchmark/published.hpp"
#include "simulation/robots.hpp"

namespace torsor::test {
namespace {

using namespace bench::simbenchmark;

Method by(Integrator integrator, double dt) {
  return {solver_factory(), integrator, dt};
}
Outcome run_all(const Task& task, Integrator integrator, double dt) {
  return run(task, by(integrator, dt), {.steps = 1'000'000'000, .seconds = 1e9});
}
Task shortened(Task task, double duration) {
  task.duration = duration;
  return task;
}

// The exact velocities are linear in time, so that time stepping has no error of its own.
TEST(SimBenchmark, RollingIsExact) {
  for (const bool is_diagonal : {true, false}) {
    const Outcome outcome =
        run_all(shortened(rolling(is_diagonal), 0.2), Integrator::time_stepping, 1e-3);
    EXPECT_EQ(outcome.reason, "");
    EXPECT_EQ(outcome.steps, 200);
    EXPECT_LT(outcome.error, 1e-16);
  }
}

// A friction of the ground of 0.38 changes f_1 by 6.9 N and the acceleration of the box by 0.4
// m/s^2. Balls with a friction of 0.001 slide, and have the acceleration 0.001 g instead of 0.2
// m/s^2.
TEST(SimBenchmark, RollingErrorSeesAWrongFriction) {
  const Task wrong_ground = shortened(rolling(true, 0.38), 0.2);
  EXPECT_GT(run_all(wrong_ground, Integrator::time_stepping, 1e-3).error, 1e-4);
  const Task slippery_balls = shortened(rolling(true, 0.4, 0.001), 0.2);
  EXPECT_GT(run_all(slippery_balls, Integrator::time_stepping, 1e-3).error, 1e-4);
}

// E = m g h n at the start, and no impact changes it.
TEST(SimBenchmark, BouncingKeepsItsEnergy) {
  const double E = 49 * 10 * 9.81 * 5;
  for (const Integrator integrator : {Integrator::time_stepping, Integrator::rk4}) {
    const Outcome outcome = run_all(shortened(bouncing(), 3), integrator, 1e-2);
    EXPECT_EQ(outcome.reason, "") << name(integrator);
    EXPECT_LT(outcome.error, 1e-16 * E * E) << name(integrator);
  }
}

// The energy after the first impact is e^2 m g (h - r) + m g r. The first fall takes 1 s, so that
// about half of the states of the first 2 s have this energy.
TEST(SimBenchmark, BouncingErrorSeesALossOfEnergy) {
  const double e = 0.9, fall = std::sqrt(2 * 4.9 / 9.81), E = 49 * 10 * 9.81;
  const double loss = (1 - e * e) * 4.9 * E;
  const Outcome outcome = run_all(shortened(bouncing(e), 1.5), Integrator::rk4, 1e-3);
  EXPECT_NEAR(outcome.error, loss * loss * (1 - fall / 1.5), 1e-3 * loss * loss);
}

// A heap has no overlaps after each step. The balls must have reached the ground.
TEST(SimBenchmark, HeapHasNoOverlaps) {
  const Outcome outcome = run_all(inelastic_cube(3, 0.101, 1), Integrator::time_stepping, 4e-3);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_LT(outcome.error, 1e-12);
  ASSERT_EQ(outcome.q.size(), 7u * 27);
  double lowest = 1;
  for (size_t k = 0; k < 27; ++k) lowest = std::min(lowest, outcome.q[7 * k + 2]);
  EXPECT_NEAR(lowest, 0.1, 1e-3);
}

// Balls that start 5 mm in the ground: the error of the first state is 9 * 0.005^2, for the lower
// layer of 3 x 3 balls. Their places are up to 1 mm higher.
TEST(SimBenchmark, HeapErrorSeesOverlaps) {
  Task task = inelastic_cube(3, 0.095, 4e-3);
  const Method method = by(Integrator::time_stepping, 4e-3);
  Simulation start = begin(task.start(method), method);
  const double error = task.squared_error(start)(start);
  EXPECT_LT(error, 9 * 0.005 * 0.005);
  EXPECT_GT(error, 9 * 0.004 * 0.004);
}

// Located elastic impacts keep the energy m g sum h of eight balls. Their places are up to 1 mm
// higher than on the grid.
TEST(SimBenchmark, LocatedElasticImpactsKeepTheEnergy) {
  const Task task = elastic_cube(2, 1.101, 2);
  const Method method = by(Integrator::rk4, 1e-3);
  const double E = begin(task.start(method), method).energy().sum();
  const Outcome outcome = run_all(task, Integrator::rk4, 1e-3);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_LT(outcome.error, 1e-12 * E * E);
  EXPECT_NEAR(E, 8 * 10 * 9.81 * (1.101 + 0.105), 8 * 10 * 9.81 * 0.001);
}

// A tower of two floors does not move.
TEST(SimBenchmark, TowerStands) {
  const Outcome outcome = run_all(block_tower(2, 0.5), Integrator::time_stepping, 1e-2);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(outcome.steps, 50);
  EXPECT_FALSE(outcome.is_over);
  const Method method = by(Integrator::time_stepping, 1e-2);
  const Start start = block_tower(2).start(method);
  for (size_t k = 0; k < start.q.size(); ++k) EXPECT_NEAR(outcome.q[k], start.q[k], 1e-6);
}

// A block below the base of the last floor ends the run.
TEST(SimBenchmark, TowerThatIsTooLowHasCollapsed) {
  Task task = block_tower(2, 0.5);
  const auto start = task.start;
  task.start = [start](const Method& method) {
    Start out = start(method);
    out.q[out.q.size() - 5] = 0.15;
    out.q[out.q.size() - 6] += 1;
    return out;
  };
  const Outcome outcome = run_all(task, Integrator::time_stepping, 1e-2);
  EXPECT_TRUE(outcome.is_over);
  EXPECT_EQ(outcome.steps, 1);
}

// The sum of the masses in the suite's robot file is 33.947 kg.
TEST(SimBenchmark, QuadrupedHasItsMass) {
  const Method method = by(Integrator::rk4, 1e-2);
  const Start start = quadruped_stand(1).start(method);
  double mass = 0;
  for (int i = 1; i < start.model->n_body; ++i) mass += start.model->inertia_B[size_t(i)].m;
  EXPECT_NEAR(mass, 21.39 + 4 * (1.1064 + 1.51 + 0.318 + 0.1922685) + 0.05, 1e-12);
  EXPECT_EQ(start.model->n_v, 18);
}

// The squared error of the energy has twice the order of the method: 8 for rk4, 4 for time stepping
// without contacts.
TEST(SimBenchmark, EnergyErrorHasTheOrderOfTheMethod) {
  const Task task = quadruped_energy();
  const double coarse = run_all(task, Integrator::rk4, 1e-2).error;
  const double fine = run_all(task, Integrator::rk4, 5e-3).error;
  EXPECT_GT(std::log2(coarse / fine), 7.5);
  EXPECT_LT(coarse, 1e-6);
  const double coarse_step = run_all(task, Integrator::time_stepping, 4e-3).error;
  const double fine_step = run_all(task, Integrator::time_stepping, 2e-3).error;
  EXPECT_GT(std::log2(coarse_step / fine_step), 3.5);
}

// The ball strikes the robot: its velocity changes. The error without the ball's momentum would be
// 50^2.
TEST(SimBenchmark, MomentumErrorIsSmall) {
  const Outcome outcome =
      run_all(shortened(quadruped_momentum(), 1.5), Integrator::time_stepping, 1e-3);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_LT(outcome.error, 1e-2);
  EXPECT_GT(std::abs(outcome.q[outcome.q.size() - 6] - (-5 + 5 * 1.5)), 0.1);
}

// The robot is near its stance after 2 s.
TEST(SimBenchmark, QuadrupedStands) {
  const Outcome outcome = run_all(quadruped_stand(2), Integrator::time_stepping, 5e-3);
  EXPECT_EQ(outcome.reason, "");
  ASSERT_EQ(outcome.steps, 400);
  EXPECT_GT(outcome.q[2], 0.4);
  EXPECT_GT(outcome.q[3], 0.99);
}

// Balls that strike in successive steps lose at most 1e-4 of their energy in time stepping.
TEST(SimBenchmark, ElasticCubeKeepsItsEnergyInSteps) {
  const Task task = elastic_cube(3, 1.101, 2);
  const Method method = by(Integrator::time_stepping, 4e-4);
  const double E = begin(task.start(method), method).energy().sum();
  EXPECT_LT(run_all(task, Integrator::time_stepping, 4e-4).error, 1e-8 * E * E);
}

// Spot checks against the files of the suite.
TEST(SimBenchmark, PublishedFigures) {
  const auto figure = [](const char* task, double dt, const std::string& engine) {
    for (const Published& each : published(task, dt))
      if (each.engine == engine) return each;
    ADD_FAILURE() << task << " " << dt << " " << engine;
    return Published{};
  };
  EXPECT_EQ(figure("rolling_xy", 1e-3, "Bullet").error, 5.70654e-09);
  EXPECT_EQ(figure("bouncing", 1e-3, "RaiSim").error, 0.0186204);
  EXPECT_EQ(figure("666", 4e-2, "ODE").error, 0.236774);
  EXPECT_EQ(figure("anymal_energy", 1e-3, "MuJoCo RK4").error, 1.6273e-17);
  EXPECT_NEAR(figure("anymal_momentum", 1e-2, "DART").speed(), 10 / 0.0524459, 1e-9);
  EXPECT_EQ(figure("kapla", 1e-2, "RaiSim").remark(), "stands after 60000 steps");
  for (const Task& task : tasks())
    for (const double dt : task.steps) EXPECT_FALSE(published(task.name, dt).empty()) << task.name;
}

std::string printed(const Task& task, const Limits& limits) {
  std::string out;
  print(task, solver_factory(), limits, [&](const std::string& line) { out += line + "\n"; });
  return out;
}

TEST(SimBenchmark, PrintsBothWaysAndThePublishedFigures) {
  const std::string text = printed(shortened(rolling(true), 0.01), {});
  EXPECT_THAT(text, testing::HasSubstr("Torsor time_stepping"));
  EXPECT_THAT(text, testing::HasSubstr("Torsor rk4"));
  EXPECT_THAT(text, testing::HasSubstr("5.71e-09"));
  // Runs that are too long have published figures only.
  const std::string skipped = printed(rolling(true), {.steps = 10});
  EXPECT_THAT(skipped, testing::Not(testing::HasSubstr("Torsor")));
  EXPECT_THAT(skipped, testing::HasSubstr("RaiSim"));
}

// A run that a limit ends has no error, because its mean would be that of another duration.
TEST(SimBenchmark, LimitsEndARun) {
  const Outcome outcome = run(rolling(true), by(Integrator::time_stepping, 1e-3), {.seconds = 0});
  EXPECT_TRUE(outcome.is_cut);
  EXPECT_EQ(outcome.steps, 1);
  EXPECT_THAT(printed(rolling(true), {.seconds = 0}), testing::HasSubstr("ended at 0.001 s"));
  EXPECT_THAT(printed(quadruped_stand(250), {.steps = 2}), testing::HasSubstr("ended at 0.01 s"));
}

}  // namespace
}  // namespace torsor::test
