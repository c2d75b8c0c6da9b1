// Tests of many motions at once, against the simulation of each of them.

#include <gmock/gmock.h>

#include "planning/chains.hpp"
#include "support/random_state.hpp"
#include "torsor/base/error.hpp"
#include "torsor/planning/rollouts.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr size_t n_motions = 11, n_steps = 40;
constexpr double step_size = 0.01;

std::shared_ptr<const Model> damped_robot(Kinds kinds, uint64_t seed) {
  Random random{seed};
  RobotDescription robot = random_robot(6, Shape::tree, seed, kinds);
  for (LinkDescription& link : robot.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = random.uniform(0, 0.2);
  return build(robot);
}

class RolloutsOf : public testing::TestWithParam<Integrator> {
 protected:
  void expect_simulated(const std::shared_ptr<const Model>& model, const std::string& solver) {
    const Step step{.method = GetParam(), .dt = step_size};
    Rollouts rollouts(solvers(solver), model, step, n_motions);
    StateBatch& states = rollouts.states();
    const size_t n = size_t(model->n_v), stride = states.stride();
    Random random{7};
    std::vector<State> alone;
    std::vector<double> tau(n_steps * n * stride);
    for (size_t k = 0; k < n_motions; ++k) {
      alone.push_back(random_state(model, random));
      alone[k].set_gravity({1, -9, 2});
      states.set(k, alone[k]);
    }
    states.set_world(alone[0]);
    for (double& x : tau) x = random.uniform(-0.5, 0.5);
    for (size_t t = 0; t < n_steps; ++t) ASSERT_TRUE(rollouts.step(&tau[t * n * stride]));
    for (size_t k = 0; k < n_motions; ++k) {
      Simulation simulation(model, solvers("articulated_body"), GetParam(), step_size);
      simulation.set_gravity({1, -9, 2});
      Load load;
      load.tau.assign(n, 0);
      for (size_t t = 0; t < n_steps; ++t) {
        for (size_t i = 0; i < n; ++i)
          load.tau[i] = model->drives[i].passive ? 0 : tau[(t * n + i) * stride + k];
        simulation.begin(load, t == 0 ? alone[k].q() : simulation.state().q(),
                         t == 0 ? std::span<const double>(alone[k].v) : simulation.state().v);
        simulation.step();
      }
      State end(model);
      states.get(k, end);
      const Vector q = Eigen::Map<const Vector>(end.q().data(), model->n_q),
                   expected = Eigen::Map<const Vector>(simulation.state().q().data(), model->n_q);
      EXPECT_TRUE(close(q, expected, 1, 1e-9)) << "motion " << k;
      EXPECT_TRUE(close(to_vector(end.v), to_vector(simulation.state().v), 1, 1e-8))
          << "motion " << k;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, RolloutsOf,
                         testing::Values(Integrator::euler, Integrator::semi_implicit_euler,
                                         Integrator::rk4),
                         [](const auto& of) { return std::string(name(of.param)); });

TEST_P(RolloutsOf, JointsOfOneDofEqualTheSimulation) {
  expect_simulated(damped_robot(Kinds::one_column, 3), "articulated_body");
}
TEST_P(RolloutsOf, EveryKindOfJointEqualsTheSimulation) {
  expect_simulated(damped_robot(Kinds::every, 4), "articulated_body");
}
TEST_P(RolloutsOf, ASolverWithoutBlocksEqualsTheSimulation) {
  expect_simulated(damped_robot(Kinds::one_column, 5), "newton_euler");
}

TEST(Rollouts, AStateThatCannotBeComputedIsNamedAndTheOthersMove) {
  const auto model = damped_robot(Kinds::one_column, 3);
  Rollouts rollouts(solvers("articulated_body"), model, {.method = Integrator::rk4, .dt = 0.01}, 9);
  rollouts.states().v()[5] = std::numeric_limits<double>::infinity();
  const std::vector<double> tau(size_t(model->n_v) * rollouts.states().stride());
  const BatchStatus status = rollouts.step(tau.data());
  EXPECT_EQ(status.state, 5u);
  EXPECT_THAT(rollouts.explain(status), HasSubstr("not a finite number"));
  EXPECT_TRUE(std::isnan(rollouts.states().v()[5]));
  EXPECT_TRUE(std::isfinite(rollouts.states().v()[4]));
}

TEST(Rollouts, AdaptiveIntegratorsAreRejected) {
  const auto model = damped_robot(Kinds::one_column, 3);
  try {
    Rollouts rollouts(solvers("articulated_body"), model,
                      {.method = Integrator::dormand_prince, .dt = 0.01}, 9);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "rollouts need an integrator with a fixed step, and dormand_prince selects its "
                 "steps");
  }
}

}  // namespace
}  // namespace torsor::test
