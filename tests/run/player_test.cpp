// Tests of Player: at each position in a timeline, its state has the same bits as a simulation that
// was stepped there directly.

#include "torsor/run/player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/robots.hpp"
#include "simulation/snapshots.hpp"
#include "support/random_robot.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr int n_steps = 150;

struct Case {
  std::string name;
  RobotDescription robot;
};

std::vector<Case> cases() {
  RobotDescription tree = random_robot(7, Shape::tree, 3), chain = random_robot(4, Shape::chain, 8);
  for (LinkDescription& link : tree.links)
    if (link.joint.kind != JointKind::fixed) link.joint.damping = 0.1;
  return {{"pendulum", pendulum(0.2)},
          {"slider", slider()},
          {"links", planar_n_link(Vector::Ones(3), Vector::Ones(3))},
          {"tree", tree},
          {"chain", chain}};
}

Experiment experiment_of(const RobotDescription& robot, Integrator integrator = Integrator::rk4) {
  Random random(5);
  Experiment experiment;
  experiment.model = build(robot);
  experiment.q = random_position(random, *experiment.model, 1);
  experiment.v = random_values(random, experiment.model->n_v, 1);
  experiment.load.tau = random_values(random, experiment.model->n_v, 0.5);
  experiment.integrator = integrator;
  experiment.duration = n_steps * experiment.dt;
  return experiment;
}

StateChange some_state(const Model& model, uint64_t seed) {
  Random random(seed);
  return {random_position(random, model, 1), random_values(random, model.n_v, 1)};
}
TorqueChange some_torque(const Model& model, uint64_t seed) {
  Random random(seed);
  return {random_values(random, model.n_v, 2)};
}

std::vector<std::vector<Change>> histories(const Model& model) {
  const StateChange state = some_state(model, 1), start = some_state(model, 2);
  const TorqueChange torque = some_torque(model, 3), other = some_torque(model, 4);
  const SolverChange newton{"newton_euler"}, lie{"solver.lie_group"};
  const std::string tip = model.frames.back().name;
  const PullChange pull{Pull{tip, {0.1, 0.2, -0.1}, {1, 0.5, 2}, 40, 3}},
      on{Pull{tip, {0, 0, 0.2}, {2, 0, 1}, 40, 3}};
  return {{},
          {{41, state}},
          {{41, torque}},
          {{41, newton}},
          {{30, pull}, {31, on}, {96, on}, {97, PullChange{}}, {140, pull}},
          {{0, start},
           {0, newton},
           {0, torque},
           {41, lie},
           {41, state},
           {42, other},
           {97, newton},
           {150, state}}};
}

// Returns the state after each step and the changes at it, computed without a player and a
// timeline.
std::vector<Snapshot> stepped(const Experiment& experiment, const std::vector<Change>& changes) {
  Simulation simulation(experiment.model, solver_factory(experiment.solver), experiment.integrator,
                        experiment.dt);
  simulation.set_gravity(experiment.gravity_W);
  simulation.set_load(experiment.load);
  simulation.set_state(experiment.q, experiment.v);
  std::vector<Snapshot> states;
  for (int k = 0; k <= n_steps; ++k) {
    if (k > 0) simulation.step();
    for (const Change& change : changes) {
      if (change.step != k) continue;
      if (const auto* state = std::get_if<StateChange>(&change.what))
        simulation.change_state(state->q, state->v);
      else if (const auto* torque = std::get_if<TorqueChange>(&change.what))
        simulation.change_torque(torque->tau);
      else if (const auto* pull = std::get_if<PullChange>(&change.what))
        simulation.change_pull(pull->pull);
      else
        simulation.change_solver(solver_factory(std::get<SolverChange>(change.what).solver));
    }
    states.push_back(simulation.snapshot());
  }
  return states;
}

// Advances by `steps` steps as the editor does, and makes the changes at their steps. Returns the
// timeline.
Timeline played(Player& player, const std::vector<Change>& changes, size_t memory = 64 << 20,
                int steps = n_steps) {
  Timeline timeline(player.simulation().snapshot(), memory);
  for (int k = 0; k <= steps; ++k) {
    if (k > 0) {
      player.advance(timeline.changes());
      timeline.append(player.simulation().snapshot());
    }
    for (const Change& change : changes)
      if (change.step == k) player.change(timeline, change.what);
  }
  return timeline;
}

TEST(Player, SeekingAndContinuingGivesTheSameBits) {
  for (const auto& [robot_name, robot] : cases())
    for (const Integrator integrator : explicit_integrators()) {
      const Experiment experiment = experiment_of(robot, integrator);
      const auto all = histories(*experiment.model);
      for (size_t h = 0; h < all.size(); ++h)
        for (const size_t memory : {size_t(1) << 20, size_t(400)}) {
          SCOPED_TRACE(robot_name + " " + name(integrator) + " history " + std::to_string(h));
          const std::vector<Snapshot> expected = stepped(experiment, all[h]);
          Player player(with_solvers(experiment));
          const Timeline timeline = played(player, all[h], memory);
          EXPECT_EQ(timeline.size() < n_steps, memory == 400) << timeline.size();
          EXPECT_EQ(bits(player.simulation().snapshot()), bits(expected[n_steps]));
          for (const int step : {97, 0, 40, 41, 42, 96, 3, 150, 149, 41}) {
            player.seek(timeline, step);
            ASSERT_EQ(bits(player.simulation().snapshot()), bits(expected[size_t(step)])) << step;
          }
          while (player.simulation().steps() < n_steps) {
            player.advance(timeline.changes());
            ASSERT_EQ(bits(player.simulation().snapshot()),
                      bits(expected[size_t(player.simulation().steps())]));
          }
          for (size_t i = 0; i < timeline.size(); ++i) {
            player.show(timeline, i);
            ASSERT_EQ(bits(player.simulation().snapshot()),
                      bits(expected[size_t(timeline.step(i))]));
          }
        }
    }
}

TEST(Player, ActiveChangesCanBeShownByAnotherPlayer) {
  const Experiment experiment = experiment_of(pendulum());
  const std::vector<Change> changes = histories(*experiment.model)[4];
  Player player(with_solvers(experiment)), other(with_solvers(experiment));
  const Timeline timeline = played(player, changes);
  EXPECT_TRUE(other.active_changes().empty());
  EXPECT_EQ(player.active_changes(), (std::vector<Change::What>{changes.back().what}));
  player.seek(timeline, 97);
  EXPECT_TRUE(player.active_changes().empty());
  other.show(timeline, timeline.at(timeline.size() - 1));
  EXPECT_EQ(other.active_changes(), (std::vector<Change::What>{changes.back().what}));
}

TEST(Player, TorquesAndSolverAreTheActiveOnes) {
  const Experiment experiment = experiment_of(pendulum());
  Player player(with_solvers(experiment));
  const Timeline timeline = played(
      player, {{10, TorqueChange{{7}}}, {20, SolverChange{"lie_group"}}, {30, TorqueChange{{8}}}});
  const auto check = [&](double torque, const char* solver) {
    EXPECT_EQ(player.simulation().torque()[0], torque) << player.simulation().steps();
    EXPECT_EQ(player.solver(), solver);
    EXPECT_EQ(player.simulation().solver().id(), std::string("solver.") + solver);
  };
  for (const auto go :
       {+[](Player&p, const Timeline&t, long long s) { p.seek(t, s); },
        +[](Player&p, const Timeline&t, long long s) { p.show(t, t.index_at(s)); }}) {
    go(player, timeline, 9), check(experiment.load.tau[0], "articulated_body");
    go(player, timeline, 30), check(8, "lie_group");
    go(player, timeline, 20), check(7, "lie_group");
    go(player, timeline, 10), check(7, "articulated_body");
  }
}

// Checks repeated changes of one step, as when a user drags a slider. Each new state replaces the
// former one. If the changes accumulated, the energy ledger would have other bits.
TEST(Player, AReplacedChangeLeavesNoTrace) {
  const Experiment experiment = experiment_of(cases()[3].robot);
  const Model& model = *experiment.model;
  for (const long long step : {0, 41, 150}) {
    const std::vector<Change> lasting = {{step, SolverChange{"newton_euler"}},
                                         {step, some_torque(model, 1)},
                                         {step, some_state(model, 29)}};
    const std::vector<Snapshot> expected = stepped(experiment, lasting);
    Player player(with_solvers(experiment));
    Timeline timeline = played(player, {}, 400);
    player.seek(timeline, step);
    player.change(timeline, lasting[0].what);
    for (uint64_t seed = 10; seed < 30; ++seed) player.change(timeline, some_state(model, seed));
    player.change(timeline, some_torque(model, 2));
    player.change(timeline, lasting[1].what);
    EXPECT_EQ(timeline.changes().size(), 3u);
    EXPECT_EQ(timeline.end(), step);
    EXPECT_EQ(bits(timeline.at(timeline.size() - 1)), bits(expected[size_t(step)]));
    while (player.simulation().steps() < n_steps) player.advance(timeline.changes());
    EXPECT_EQ(bits(player.simulation().snapshot()), bits(expected[n_steps]));
  }
}

TEST(Player, AChangeIsUndoneByTheTimelineBefore) {
  const Experiment experiment = experiment_of(cases()[3].robot);
  const std::vector<Snapshot> expected = stepped(experiment, {});
  Player player(with_solvers(experiment));
  Timeline timeline = played(player, {}, 2000);
  player.seek(timeline, 77);
  const Timeline former = timeline;
  player.change(timeline, some_state(*experiment.model, 1));
  player.change(timeline, SolverChange{"newton_euler"});
  for (int k = 0; k < 50; ++k) {
    player.advance(timeline.changes());
    timeline.append(player.simulation().snapshot());
  }
  timeline = former;
  for (const int step : {77, 150, 10}) {
    player.seek(timeline, step);
    EXPECT_EQ(bits(player.simulation().snapshot()), bits(expected[size_t(step)]));
  }
  EXPECT_EQ(player.solver(), "articulated_body");
}

TEST(Player, AStepThatWasNotReachedIsAnError) {
  Player player(with_solvers(experiment_of(pendulum())));
  const Timeline timeline = played(player, {}, 1 << 20, 20);
  const auto before = bits(player.simulation().snapshot());
  for (const long long step : {21LL, -1LL})
    EXPECT_THAT([&] { player.seek(timeline, step); },
                testing::ThrowsMessage<Error>(HasSubstr("the run covers steps 0 to 20")));
  EXPECT_EQ(bits(player.simulation().snapshot()), before);
}

TEST(Player, AnInvalidChangeChangesNothing) {
  const Experiment experiment = experiment_of(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
  Player player(with_solvers(experiment));
  Timeline timeline = played(player, {{20, some_state(*experiment.model, 1)}}, 1 << 20, 40);
  player.seek(timeline, 20);
  const auto before = bits(player.simulation().snapshot());
  const std::pair<Change::What, const char*> wrong[] = {
      {StateChange{{1}, {0, 0}}, "q has 1"},
      {StateChange{{1, NAN}, {0, 0}}, "finite"},
      {TorqueChange{{1}}, "2 finite numbers"},
      {TorqueChange{{}}, "2 finite numbers"},
      {TorqueChange{{1, HUGE_VAL}}, "2 finite numbers"},
      {SolverChange{"newton_eulr"}, "did you mean 'newton_euler'"}};
  for (const auto& [what, message] : wrong) {
    EXPECT_THAT([&] { player.change(timeline, what); },
                testing::ThrowsMessage<Error>(HasSubstr(message)));
    EXPECT_EQ(bits(player.simulation().snapshot()), before);
    EXPECT_EQ(player.simulation().torque()[0], experiment.load.tau[0]);
    EXPECT_EQ(player.solver(), "articulated_body");
    EXPECT_EQ(timeline.end(), 40);
    EXPECT_EQ(timeline.changes().size(), 1u);
  }
}

TEST(Player, PreparesASolverOnlyIfItDiffers) {
  int prepared = 0;
  const SolverSource counted = [&](const std::string& id, std::shared_ptr<const Model> model) {
    ++prepared;
    return solver_source()(id, std::move(model));
  };
  Player player(with_solvers(experiment_of(pendulum()), counted));
  Timeline timeline = played(player, {{50, SolverChange{"solver.articulated_body"}}});
  for (const int step : {10, 60, 20}) player.seek(timeline, step);
  EXPECT_EQ(prepared, 1);
  player.change(timeline, SolverChange{"lie_group"});
  player.change(timeline, SolverChange{"solver.lie_group"});
  EXPECT_EQ(prepared, 2);
  player.seek(timeline, 10);
  EXPECT_EQ(prepared, 3);
}

}  // namespace
}  // namespace torsor::test
