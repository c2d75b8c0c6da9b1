// Tests of sampled signals. After any change of the timeline, they equal bit for bit the recording
// of a separate simulation.

#include "editor/probe/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "editor/plugins.hpp"
#include "editor/states.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/run/player.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;
using testing::HasSubstr;

constexpr std::chrono::seconds patience(60);
using Rows = std::vector<std::vector<double>>;

// Simulates a run from the start with the same changes. Returns the rows that it records at the
// stored states.
Rows stepped_by_hand(const SessionState& now, const std::string& signal) {
  const Experiment& experiment = now.scene->experiment;
  Player player(with_solvers(experiment));
  Recorder recorder(*experiment.model, {signal}, experiment.compare);
  std::optional<RunComparison> comparison;
  if (!experiment.compare.empty()) comparison.emplace(with_solvers(experiment));
  Rows rows;
  player.apply(now.timeline.changes());
  for (size_t i = 0; i < now.timeline.size(); ++i) {
    while (player.simulation().steps() < now.timeline.step(i))
      player.advance(now.timeline.changes());
    const auto row =
        recorder.sample(player.simulation(), comparison ? comparison->at(player.simulation())
                                                        : std::span<const Disagreement>{});
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

Rows rows_of(const Samples& samples) {
  Rows rows;
  for (size_t i = 0; i < samples.time.size(); ++i) {
    rows.push_back({samples.time[i]});
    for (const auto& column : samples.values) rows.back().push_back(column[i]);
  }
  return rows;
}

Samples samples_of(const Sampler& sampler, const std::string& signal) {
  std::optional<Samples> found;
  sampler.read(signal, [&](const Samples& samples) { found = samples; });
  if (!found) ADD_FAILURE() << "no samples of " << signal;
  return found.value_or(Samples{});
}

// Checks the samples of signals. Equal numbers are equal bit for bit, except for the signs of
// zeros.
void expect_sampled(Sampler& sampler, std::shared_ptr<const SessionState> now,
                    const std::vector<std::string>& signals) {
  sampler.request(now, signals);
  ASSERT_TRUE(sampler.wait(patience));
  EXPECT_TRUE(sampler.up_to_date());
  for (const std::string& signal : signals) {
    const Samples samples = samples_of(sampler, signal);
    EXPECT_EQ(samples.failure, "");
    EXPECT_EQ(rows_of(samples), stepped_by_hand(*now, signal)) << signal;
  }
}

const std::vector<std::string> several{"arm.q",        "arm.vdot",      "arm.tau",
                                       "arm.coriolis", "arm.pose.tip2", "energy"};

TEST(Sampler, SignalsAreThoseOfARunSteppedByHand) {
  HandRun run(scene_of(swing()));
  Sampler sampler;
  expect_sampled(sampler, run.state(), several);
  run.advance(300);
  expect_sampled(sampler, run.state(), several);
}

TEST(Sampler, ComparedSolversAreAskedOnEveryState) {
  HandRun run(scene_of(swing({"newton_euler"})));
  run.advance(40);
  Sampler sampler;
  expect_sampled(sampler, run.state(), {"compare.vdot", "arm.q", "compare.tau"});
}

TEST(Sampler, ColumnsAreTheRecordersWithoutTime) {
  HandRun run(scene_of(swing()));
  Sampler sampler;
  sampler.request(run.state(), {"arm.v"});
  ASSERT_TRUE(sampler.wait(patience));
  const Samples samples = samples_of(sampler, "arm.v");
  ASSERT_EQ(samples.columns.size(), 2u);
  EXPECT_EQ(samples.columns[1].name, "arm.v.joint2");
  EXPECT_EQ(samples.columns[1].unit, "rad/s");
}

TEST(Sampler, GrowsWithTheRunAndTakesLaterSignalsUp) {
  HandRun run(scene_of(swing()));
  Sampler sampler;
  std::vector<std::string> wanted{"arm.q"};
  for (const char* more : {"energy", "arm.v", "arm.friction"}) {
    run.advance(57);
    expect_sampled(sampler, run.state(), wanted);
    wanted.push_back(more);
    expect_sampled(sampler, run.state(), wanted);
  }
  wanted.erase(wanted.begin());
  expect_sampled(sampler, run.state(), wanted);
  sampler.read("arm.q", [](const Samples&) { ADD_FAILURE() << "no longer wanted"; });
}

// Checks a timeline with memory for about forty rows. The number of steps between its stored states
// doubles repeatedly.
TEST(Sampler, FollowsATimelineThatThinsOut) {
  HandRun run(scene_of(swing()), 40 * 8 * 8);
  Sampler sampler;
  for (int k = 0; k < 60; ++k) {
    run.advance(1 + k % 13);
    if (k == 20) run.change(run.timeline().end() - 5, TorqueChange{{2, -1}});
    expect_sampled(sampler, run.state(), {"arm.q", "energy"});
  }
  EXPECT_LT(run.timeline().size(), 45u);
  EXPECT_GT(run.timeline().end(), 200);
}

TEST(Sampler, EditsOfEveryKindAndPlaceAreFollowed) {
  HandRun run(scene_of(swing()));
  run.advance(100);
  Sampler sampler;
  expect_sampled(sampler, run.state(), several);
  run.change(100, TorqueChange{{5, 0}});  // at the end: only the last state differs
  expect_sampled(sampler, run.state(), several);
  run.advance(50);
  expect_sampled(sampler, run.state(), several);
  run.change(60, StateChange{{1, 1}, {0, 0}});
  expect_sampled(sampler, run.state(), several);
  run.advance(90);
  expect_sampled(sampler, run.state(), several);
  run.change(60, StateChange{{1, 2}, {0, 0}});
  run.advance(90);
  run.change(120, SolverChange{"newton_euler"});
  run.advance(10);
  expect_sampled(sampler, run.state(), several);
  run.change(0, TorqueChange{{0, 0}});
  run.advance(30);
  expect_sampled(sampler, run.state(), several);
}

// Checks an edit at the end that is undone: the timeline then continues with other states.
TEST(Sampler, ADifferentRunAfterUndoIsSampledAgain) {
  HandRun run(scene_of(swing()));
  run.advance(50);
  const Timeline before = run.timeline();
  Sampler sampler;
  run.change(50, TorqueChange{{30, 0}});
  run.advance(100);
  expect_sampled(sampler, run.state(), several);
  run.go_back_to(before);
  run.advance(150);
  expect_sampled(sampler, run.state(), several);
}

TEST(Sampler, AnotherSceneIsSampledFromItsStart) {
  HandRun run(scene_of(swing()));
  run.advance(30);
  Sampler sampler;
  expect_sampled(sampler, run.state(), {"arm.q"});
  Experiment other = swing();
  other.q = {-1, 1};
  HandRun second(scene_of(other));
  second.advance(20);
  expect_sampled(sampler, second.state(), {"arm.q"});
}

// Checks velocities that are so large that only the accelerations overflow.
TEST(Sampler, AFailedSignalStatesTheReasonAndStopsNoOther) {
  HandRun run(scene_of(swing()));
  run.advance(10);
  Snapshot fast = run.simulation().snapshot();
  ++fast.step;
  fast.v = {1e200, -1e200};
  run.timeline().append(fast);
  Sampler sampler;
  sampler.request(run.state(), {"arm.vdot", "arm.v"});
  ASSERT_TRUE(sampler.wait(patience));
  const Samples failed = samples_of(sampler, "arm.vdot"), other = samples_of(sampler, "arm.v");
  EXPECT_THAT(failed.failure, HasSubstr("t = 0.011 s"));
  EXPECT_EQ(failed.time.size(), 11u);
  EXPECT_EQ(other.failure, "");
  EXPECT_EQ(other.time.size(), 12u);
  run.change(10, TorqueChange{{1, 1}});
  run.advance(20);
  expect_sampled(sampler, run.state(), {"arm.vdot", "arm.v"});
}

TEST(Sampler, SignalsOfControlsAreSampled) {
  HandRun run(scene_of(
      load_scene(std::string(TORSOR_SOURCE_DIR) + "/scenes/pid.lua", {}, &shipped_plugins())));
  run.advance(20);
  const Experiment& experiment = run.state()->scene->experiment;
  const std::vector<std::string> without = Recorder::signals(*experiment.model);
  std::vector<std::string> of_controls;
  for (const std::string& signal :
       Recorder::signals(*experiment.model, false, experiment.load.controls))
    if (std::ranges::find(without, signal) == without.end()) of_controls.push_back(signal);
  ASSERT_FALSE(of_controls.empty());
  Sampler sampler;
  sampler.request(run.state(), of_controls);
  ASSERT_TRUE(sampler.wait(patience));
  for (const std::string& signal : of_controls) {
    const Samples samples = samples_of(sampler, signal);
    EXPECT_EQ(samples.failure, "");
    Recorder recorder(*experiment.model, {signal}, {}, experiment.load.controls);
    const auto row = recorder.sample(run.simulation());
    ASSERT_EQ(samples.time.size(), 21u);
    for (size_t k = 0; k < samples.values.size(); ++k)
      EXPECT_EQ(samples.values[k][20], row[1 + k]) << signal;
  }
}

TEST(Sampler, AnUnknownSignalIsReported) {
  HandRun run(scene_of(swing()));
  Sampler sampler;
  sampler.request(run.state(), {"arm.w", "arm.v"});
  ASSERT_TRUE(sampler.wait(patience));
  EXPECT_THAT(samples_of(sampler, "arm.w").failure, HasSubstr("there is no signal 'arm.w'"));
  EXPECT_EQ(samples_of(sampler, "arm.v").time.size(), 1u);
}

// Checks reading while the run continues and its states are sampled: every read row is complete.
TEST(Sampler, ReadersSeeCompleteRowsDuringTheRun) {
  HandRun run(scene_of(swing()), 400 * 8 * 8);
  Sampler sampler;
  std::atomic<bool> over = false;
  std::thread reader([&] {
    while (!over)
      sampler.read("energy", [](const Samples& samples) {
        for (const auto& column : samples.values) ASSERT_EQ(column.size(), samples.time.size());
        EXPECT_TRUE(std::ranges::is_sorted(samples.time, std::less_equal<>{}));
      });
  });
  for (int k = 0; k < 200; ++k) {
    run.advance(11);
    if (k % 50 == 49) run.change(run.timeline().end() / 2, TorqueChange{{double(k), 0}});
    sampler.request(run.state(), {"arm.q", "energy"});
  }
  ASSERT_TRUE(sampler.wait(patience));
  over = true;
  reader.join();
  expect_sampled(sampler, run.state(), {"arm.q", "energy"});
}

}  // namespace
}  // namespace torsor::editor::test
