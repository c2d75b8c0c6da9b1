// Tests of steps that a request stops, and of steps that would never end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/robots.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Tolerances small_steps(double max_step) {
  Tolerances tolerances;
  tolerances.max_step = max_step;
  return tolerances;
}

template <class F>
std::string error_in(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class EveryIntegrator : public testing::TestWithParam<Integrator> {};

// Stops a step after each number of evaluations, until the step ends first. After each stop, the
// simulation must be in the state before the step. In the end, its state must have the same bits as
// without stops. The arm has an elastic joint, bristles, static friction and a stop.
TEST_P(EveryIntegrator, AStoppedStepLeavesTheStateBeforeIt) {
  const double dt = 1e-3;
  const auto model = sticking_arm();
  const std::vector<double> q{0.3, 0.399}, v{0.5, 2};
  Simulation stopped(model, solver_factory(), GetParam(), dt),
      other(model, solver_factory(), GetParam(), dt);
  stopped.set_state(q, v);
  other.set_state(q, v);
  const uint64_t before = stopped.state_hash();
  int most = 0;
  for (bool ended = false; !ended; ++most) {
    int asked = 0;
    stopped.set_stop([&] { return ++asked > most; });
    try {
      stopped.step();
      ended = true;
    } catch (const Stopped&) {
      ASSERT_EQ(stopped.state_hash(), before) << "after " << most << " evaluations";
    }
    ASSERT_LT(most, 10000);
  }
  EXPECT_GT(most, 1);
  other.step();
  EXPECT_EQ(stopped.state_hash(), other.state_hash());
}

// Checks that only steps call the stop function. Evaluations between steps, for recordings, do not.
TEST_P(EveryIntegrator, StopsStepsOnly) {
  Simulation simulation(build(pendulum()), solver_factory(), GetParam(), 1e-3);
  simulation.set_stop([] { return true; });
  EXPECT_NO_THROW((void)simulation.acceleration());
  EXPECT_THROW(simulation.step(), Stopped);
  EXPECT_EQ(simulation.steps(), 0);
  simulation.set_stop({});
  EXPECT_NO_THROW(simulation.step());
}

INSTANTIATE_TEST_SUITE_P(All, EveryIntegrator, testing::ValuesIn(every_integrator()),
                         [](const auto& test) { return std::string(name(test.param)); });

class AdaptiveIntegrator : public testing::TestWithParam<Integrator> {};

// Checks a step with 10^6 internal steps. Each takes at least one evaluation, so the bound of 10^6
// evaluations is exceeded.
TEST_P(AdaptiveIntegrator, AStepHasABound) {
  Simulation simulation(build(pendulum()), solver_factory(), GetParam(), 1e-3, small_steps(1e-9));
  const std::string error = error_in([&] { simulation.step(); });
  EXPECT_THAT(
      error,
      AllOf(
          HasSubstr("at t = 0 s (step 0): "), HasSubstr(name(GetParam())),
          HasSubstr(" needs more than 1000000 evaluations of the motion in one step of 0.001 s ("),
          HasSubstr("increase max_step, or use a smaller dt, larger tolerances, or a stiff")));
  EXPECT_EQ(simulation.steps(), 0);
}

TEST_P(AdaptiveIntegrator, RejectsAMaxStepBeyondTheBound) {
  EXPECT_EQ(error_in([] {
              Simulation(build(pendulum()), solver_factory(), GetParam(), 1e-3, small_steps(1e-12));
            }),
            "max_step is 1e-12 s, so that one step of dt = 0.001 s takes 1e+09 internal steps, and "
            "the limit is 1000000; increase max_step, or reduce dt");
}

INSTANTIATE_TEST_SUITE_P(All, AdaptiveIntegrator,
                         testing::Values(Integrator::dormand_prince, Integrator::fehlberg,
                                         Integrator::dirk, Integrator::bdf),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace torsor::test
