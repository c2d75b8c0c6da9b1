// Tests of a run that continues with other plugins. The same plugins change no bit. Others continue
// from the same state. Plugins with a state of another size are rejected.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "handles/table_force.hpp"
#include "simulation/folder_test.hpp"
#include "simulation/forces.hpp"
#include "simulation/snapshots.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// Returns a force k x on the second joint. Its state x is the time, and the energy that it stores
// is constant.
std::shared_ptr<const Force> growing(const std::shared_ptr<const Model>& model, double k,
                                     size_t n_x = 1, double energy = 0) {
  return table_force(
      model,
      [=](const torsor_state&, const torsor_kinematics&, const double* x, torsor_force_out& out) {
        if (n_x > 0) out.tau[1] = k * x[0];
        for (size_t i = 0; i < n_x; ++i) out.xdot[i] = 1;
        out.energy = energy;
        return TORSOR_OK;
      },
      n_x);
}

// Returns a control that adds 0.01 to its memory at each sample. Its torque is proportional to the
// memory.
Control counting(double gain, size_t n_memory = 1, size_t n_x = 0) {
  Control out{.name = "law", .robot = 0, .law = nullptr, .period = 0.01};
  out.law = std::make_shared<FunctionLaw>(
      [=](const Measured&, double, std::span<const double>, const ControlLaw::Answer& answer) {
        answer.tau[1] = gain * answer.memory[0];
        answer.memory[0] += 1e-2;
      },
      n_x, std::vector<double>(n_memory));
  return out;
}

Experiment experiment(double gain = 1, size_t n_x = 1, size_t n_memory = 1,
                      double stiffness = 500) {
  Experiment out;
  out.make_solver = solver_source();
  out.model = sticking_arm(stiffness);
  out.gravity_W = {0, -g, 0};
  out.q = {0.4, 0.1};
  out.v = {0, 3};
  out.load.forces = {growing(out.model, gain, n_x)};
  out.load.controls = {counting(gain, n_memory)};
  out.duration = 0.6;
  out.compare = {"newton_euler"};
  out.record = {"energy", "compare.vdot"};
  out.record_interval = 0.01;
  out.metrics.emplace();
  return out;
}

TEST(TakeOver, OfTheSamePluginsChangesNoBit) {
  for (const Integrator integrator : every_integrator()) {
    Experiment made = experiment();
    made.integrator = integrator;
    made.dt = traits(integrator).is_adaptive ? 1e-2 : 1e-3;
    Player whole(made);
    for (int handovers = 0; whole.simulation().time() < made.duration; ++handovers) {
      Experiment next = made;
      continue_from(whole.simulation(), next);
      Player fork(next);
      ASSERT_EQ(bits(fork.simulation().snapshot()), bits(whole.simulation().snapshot()))
          << name(integrator);
      for (int k = 0; k < 7; ++k) {
        whole.simulation().step();
        fork.simulation().step();
      }
      ASSERT_EQ(bits(fork.simulation().snapshot()), bits(whole.simulation().snapshot()))
          << name(integrator) << " handover " << handovers;
    }
  }
}

// Checks that a difference of stored energies is not counted as work, so that the ledger stays
// closed.
TEST(TakeOver, ContinuesFromTheSameStateWithOtherPlugins) {
  Player last(experiment());
  for (int k = 0; k < 100; ++k) last.simulation().step();
  Experiment next = experiment(2);
  next.load.forces = {growing(next.model, 2, 1, 7.0)};
  continue_from(last.simulation(), next);
  Player now(next);
  Simulation& s = now.simulation();
  const Snapshot &a = last.simulation().snapshot(), &b = s.snapshot();
  EXPECT_EQ(b.step, 100);
  EXPECT_EQ(b.q, a.q);
  EXPECT_EQ(b.v, a.v);
  EXPECT_EQ(b.memory, a.memory);
  EXPECT_EQ(b.held, a.held);
  EXPECT_NEAR(b[Work::changes], 7, 1e-12);
  EXPECT_NEAR(s.ledger_error(), last.simulation().ledger_error(), 1e-12);
  EXPECT_NE(s.acceleration()[1], last.simulation().acceleration()[1]);
}

TEST(TakeOver, OfAnotherLayoutIsRejected) {
  Player last(experiment());
  for (int k = 0; k < 10; ++k) last.simulation().step();
  const auto before = bits(last.simulation().snapshot());
  const auto rejection_message = [&](Experiment next) -> std::string {
    try {
      continue_from(last.simulation(), next);
    } catch (const Error& error) {
      EXPECT_TRUE(next.state.empty());
      EXPECT_EQ(bits(last.simulation().snapshot()), before);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(rejection_message(experiment()), "");
  EXPECT_EQ(rejection_message(experiment(1, 2)),
            "force 'force.table' has 2 continuous states, the previous one had 1");
  EXPECT_EQ(rejection_message(experiment(1, 1, 3)),
            "control 'law' has 3 numbers of memory, the previous one had 1");
  EXPECT_EQ(rejection_message(experiment(1, 1, 1, 501)),
            "the reloaded scene has another mechanism");
  Experiment other_step = experiment(), more = experiment(), asked_always = experiment();
  other_step.dt = 2e-3;
  EXPECT_EQ(rejection_message(other_step), "the reloaded scene has another mechanism");
  more.load.forces.push_back(growing(more.model, 1, 0));
  EXPECT_EQ(rejection_message(more), "the scene has 2 forces, the previous one had 1");
  asked_always.load.controls = {counting(1, 1, 2)};
  EXPECT_EQ(rejection_message(asked_always),
            "control 'law' has 2 continuous states, the previous one had 0");
}

// Checks that a prescribed joint cannot jump to another speed.
TEST(TakeOver, OfAnotherPrescribedMotionIsRejected) {
  const auto moving = [](double speed) {
    Experiment out;
    out.make_solver = solver_source();
    out.model = build(planar_n_link(Vector::Ones(2), Vector::Ones(2)));
    out.q = out.v = {0, 0};
    out.load.prescriptions = {{0, [=](double, std::span<double> v, std::span<double> vdot) {
                                 v[0] = speed;
                                 vdot[0] = 0;
                               }}};
    return out;
  };
  Player last(moving(1));
  last.simulation().step();
  Experiment same = moving(1), faster = moving(2);
  continue_from(last.simulation(), same);
  EXPECT_THAT([&] { continue_from(last.simulation(), faster); },
              testing::ThrowsMessage<Error>(HasSubstr("motion of joint")));
}

class RunTakenOver : public FolderTest {};

// Checks that the recording covers the entire run. Metrics, comparison and limits must do so too.
TEST_F(RunTakenOver, IsOneRunAndListsTheRebuiltPlugins) {
  const auto identify = [](const std::string& id) { return SolverIdentity{id, "1.0", ""}; };
  const auto record = [&](const std::string& name, bool hand_over) {
    RecordedRun run(experiment(), identify, "scene.lua", folder_ / name);
    EXPECT_TRUE(run.execute([&](const Simulation& s) {
      if (hand_over && s.steps() == 303)
        run.continue_with(experiment(), identify, {{s.steps(), "build/mine.so", "beef"}});
      return true;
    }));
    return read_recording(folder_ / name);
  };
  const Recording whole = record("whole.csv", false), taken = record("taken.csv", true);
  EXPECT_EQ(whole.rows(), 61u);
  EXPECT_EQ(taken.values, whole.values);
  auto json = nlohmann::json::parse(taken.description);
  EXPECT_EQ(json["rebuilt_plugins"],
            nlohmann::json::parse(R"([{"step": 303, "file": "build/mine.so", "sha256": "beef"}])"));
  json.erase("rebuilt_plugins");
  const auto expected = nlohmann::json::parse(whole.description);
  EXPECT_EQ(json, expected);
  EXPECT_TRUE(expected.contains("metrics"));
  EXPECT_TRUE(expected.contains("comparison"));
}

TEST_F(RunTakenOver, ContinuesUnchangedIfItIsRejected) {
  const auto identify = [](const std::string& id) { return SolverIdentity{id, "1.0", ""}; };
  RecordedRun run(experiment(), identify, "scene.lua", folder_ / "run.csv");
  bool rejected = false;
  EXPECT_TRUE(run.execute([&](const Simulation& s) {
    if (s.steps() != 300) return true;
    try {
      run.continue_with(experiment(1, 4), identify, {{s.steps(), "build/mine.so", "beef"}});
    } catch (const Error&) {
      rejected = true;
    }
    return true;
  }));
  EXPECT_TRUE(rejected);
  Player by_hand(experiment());
  while (by_hand.simulation().steps() < 600) by_hand.simulation().step();
  EXPECT_EQ(bits(run.run().simulation().snapshot()), bits(by_hand.simulation().snapshot()));
  EXPECT_FALSE(nlohmann::json::parse(read_recording(folder_ / "run.csv").description)
                   .contains("rebuilt_plugins"));
}

}  // namespace
}  // namespace torsor::test
