// Tests of a viewed recording: its rows, its signals, and its scene.

#include "editor/session/viewed_recording.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "editor/probe/probe.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session_fixture.hpp"
#include "torsor/run/recorded_run.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

class ViewedRecordingTest : public SessionTest {
 protected:
  // Records a run of a scene as `torsor run` does. Returns the file.
  std::filesystem::path record(const std::string& name, const std::string& text,
                               const char* extension = ".h5",
                               const std::vector<Change>& changes = {}) {
    const auto scene = write(name + ".lua", text), file = folder_ / (name + extension);
    const Registry plugins = shipped_plugins();
    ScriptOptions options;
    options.plugins = &plugins;
    Experiment experiment = Script(options).load_scene(scene);
    experiment.changes = changes;
    RecordedRun run(
        experiment,
        [](const std::string& id) {
          return SolverIdentity{id, "", ""};
        },
        scene, file);
    run.execute([](const Simulation&) { return true; });
    return file;
  }
  static std::shared_ptr<const SessionState> at(Session& session, long long step) {
    session.post(command::Go{step});
    return settled(session);
  }
};

TEST_F(ViewedRecordingTest, ShowsTheStatesOfTheRun) {
  const auto file = record("arm", pendulum_scene);
  Session viewed(shipped_plugins(), {file, {}, {}}),
      run(shipped_plugins(), {folder_ / "arm.lua", {}, {}});
  ASSERT_TRUE(settled(viewed)->scene) << problems(*viewed.now());
  EXPECT_EQ(problems(*viewed.now()), "");
  settled(run);
  EXPECT_EQ(viewed.now()->timeline.size(), 51u) << "rows of 0.5 s, every 10 ms";
  for (const long long step : {0, 10, 250, 500}) {
    EXPECT_EQ(at(viewed, step)->state.q, at(run, step)->state.q) << step;
    EXPECT_EQ(viewed.now()->state.v, run.now()->state.v) << step;
  }
  EXPECT_EQ(at(viewed, 17)->state.step, 10) << "the row before";
  EXPECT_EQ(at(viewed, 9999)->state.step, 500) << "there is nothing after the end";
  viewed.post(command::Step{-1});
  EXPECT_EQ(settled(viewed)->state.step, 490) << "a step is a row";
  viewed.post(command::SetSpeed{64});
  viewed.post(command::Play{});
  EXPECT_TRUE(
      eventually([&] { return !viewed.now()->playing && viewed.now()->state.step == 500; }));
  viewed.post(command::Play{});
  EXPECT_TRUE(eventually([&] { return viewed.now()->state.step < 500 || viewed.now()->playing; }))
      << "from the start again";
}

TEST_F(ViewedRecordingTest, IsNotChanged) {
  Session session(shipped_plugins(), {record("arm", pendulum_scene), {}, {}});
  const auto scene = settled(session)->scene;
  const auto before = session.now()->state;
  session.post(command::Edit{scene, command::SetPosition{0, 0.5}});
  session.post(command::SetSolver{"newton_euler"});
  session.post(command::SaveRecording{folder_ / "again"});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("a recording cannot be changed"));
  expect_same(session.now()->state, before);
  EXPECT_EQ(session.now()->timeline.changes().size(), 0u);
}

TEST_F(ViewedRecordingTest, ItsSignalsAreThoseRecorded) {
  const auto file = record("arm", pendulum_scene);
  Session session(shipped_plugins(), {file, {}, {}});
  settled(session);
  const Recording recording = read_recording(file);
  Sampler sampler;
  sampler.request(session.now(), {"energy", "arm.v"});
  ASSERT_TRUE(sampler.wait(std::chrono::seconds(30)));
  for (const auto& [name, first, count] : recorded_signals(recording)) {
    if (name == "arm.q") continue;
    bool read = false;
    sampler.read(name, [&](const Samples& samples) {
      read = true;
      ASSERT_EQ(samples.values.size(), count);
      ASSERT_EQ(samples.time.size(), recording.rows());
      for (size_t i = 0; i < recording.rows(); ++i)
        for (size_t k = 0; k < count; ++k)
          EXPECT_EQ(samples.values[k][i],
                    recording.values[i * recording.columns.size() + first + k]);
    });
    EXPECT_TRUE(read) << name;
  }
}

// Returns the value of a column at a time.
double recorded(const Recording& recording, const std::string& column, double t) {
  const auto found = std::ranges::find(recording.columns, column, &Column::name);
  const size_t width = recording.columns.size();
  for (size_t i = 0; i < recording.rows(); ++i)
    if (std::abs(recording.values[i * width] - t) < 1e-9)
      return recording.values[i * width + size_t(found - recording.columns.begin())];
  return std::nan("");
}

// Checks a run whose torques, pull and solver were edited between its rows. Quantities that are
// computed at a row use the edits that were active there.
TEST_F(ViewedRecordingTest, ItsEditsAreActive) {
  const std::vector<Change> edits = {{105, TorqueChange{{3, -2}}},
                                     {205, PullChange{Pull{"tip", {0, 0, 0}, {1, 0, 0.5}, 40, 2}}},
                                     {305, SolverChange{"newton_euler"}},
                                     {305, StateChange{{0.4, -0.1}, {0.5, 0}}},
                                     {405, PullChange{}}};
  const std::string all =
      replaced(pendulum_scene, "\"arm.v\",", "\"arm.v\", \"arm.vdot\", \"arm.tau\",");
  const Recording truth = read_recording(record("all", all, ".h5", edits));
  Session session(shipped_plugins(), {record("arm", pendulum_scene, ".h5", edits), {}, {}});
  ASSERT_TRUE(settled(session)->scene) << problems(*session.now());
  EXPECT_EQ(problems(*session.now()), "");
  EXPECT_EQ(session.now()->edits(), edits) << "at their steps, to be exported";
  EXPECT_EQ(session.now()->timeline.size(), 51u) << "a row is a state";
  Probe probe;
  for (const long long step : {50, 110, 210, 310, 450}) {
    const auto now = at(session, step);
    probe.look_at(now);
    EXPECT_EQ(now->torque(),
              step < 105 ? (std::vector<double>{0, 0}) : (std::vector<double>{3, -2}))
        << step;
    EXPECT_EQ(without_kind(now->solver()), step < 305 ? "articulated_body" : "newton_euler");
    for (const auto& [k, joint] : {std::pair(0, "hinge"), {1, "slide"}}) {
      const double wanted = recorded(truth, fmt::format("arm.vdot.{}", joint), now->time());
      EXPECT_NEAR(probe.acceleration().x[size_t(k)], wanted, 1e-10 * (1 + std::abs(wanted)))
          << step;
    }
  }
  Session whole(shipped_plugins(), {folder_ / "all.h5", {}, {}});
  settled(whole);
  probe.look_at(at(whole, 210));
  EXPECT_EQ(probe.acceleration().x[0], recorded(truth, "arm.vdot.hinge", 0.21)) << "to the bit";
  EXPECT_EQ(probe.joint_forces().torque[1], recorded(truth, "arm.tau.slide", 0.21));
}

TEST_F(ViewedRecordingTest, ReportsFailedEditsAndMissingData) {
  const auto file = record("arm", pendulum_scene, ".csv", {{105, SolverChange{"newton_euler"}}});
  const auto side = folder_ / "arm.json";
  write(
      "arm.json",
      replaced(text_of(side), "\"edits\"",
               "\"edits\": [{\"step\": 50, \"pull\": {\"frame\": \"tail\", \"point_m\": [0, 0, 0], "
               "\"target_m\": [0, 0, 0], \"stiffness_N_m\": 1, \"damping_N_s_m\": 0}}], \"more\""));
  std::string rows = text_of(file);
  const size_t third = rows.find("\n0.02,") + 1, fifth = rows.find("\n0.04,") + 1;
  rows.replace(rows.find(',', fifth) + 1,
               rows.find(',', rows.find(',', fifth) + 1) - rows.find(',', fifth) - 1, "nan");
  rows.erase(third, rows.find('\n', third) + 1 - third);
  write("arm.csv", rows);
  Session session(shipped_plugins(), {file, {}, {}});
  ASSERT_TRUE(settled(session)->scene) << problems(*session.now());
  EXPECT_THAT(problems(*session.now()), HasSubstr("the edit at t = 0.05 s cannot be applied: "));
  EXPECT_THAT(problems(*session.now()),
              HasSubstr("row 4, t = 0.04 s: arm.q.hinge is not a finite number"));
  EXPECT_THAT(problems(*session.now()), HasSubstr("after t = 0.01 s, 1 row is missing"));
  EXPECT_TRUE(session.now()->edits().empty());
}

TEST_F(ViewedRecordingTest, ReportsChangesOfItsScene) {
  const auto file = record("arm", pendulum_scene);
  const auto opened = [&](const SessionOptions& options) {
    Session session(shipped_plugins(), options);
    settled(session);
    return (session.now()->scene ? "" : "none; ") + problems(*session.now());
  };
  write("arm.lua", replaced(pendulum_scene, "mass = 0.5", "mass = 0.75"));
  EXPECT_THAT(opened({file, {}, {}}), HasSubstr("model.links[1].mass was 0.5 and is 0.75"));
  write("arm.lua", replaced(pendulum_scene, "\"slide\"", "\"glide\""));
  EXPECT_THAT(opened({file, {}, {}}), HasSubstr("it has arm.q.hinge, but not arm.q.glide"));
  write("arm.lua", "return 3");
  EXPECT_THAT(opened({file, {}, {}}), HasSubstr("none; "));
  std::filesystem::rename(folder_ / "arm.lua", folder_ / "moved.lua");
  EXPECT_THAT(opened({file, {}, {}}),
              HasSubstr("was not found; start in the folder of the run, or give its"));
  write("other.lua", pendulum_scene);
  EXPECT_EQ(
      opened({.file = file, .overrides = {}, .journal_folder = {}, .model = folder_ / "other.lua"}),
      "");
  EXPECT_THAT(opened({file, {{"mass", "1"}}, {}}), HasSubstr("--set is only for scenes"));
  write("broken.h5", "not HDF5");
  EXPECT_THAT(opened({folder_ / "broken.h5", {}, {}}), HasSubstr("none; "));
}

TEST_F(ViewedRecordingTest, ACsvFileAloneNeedsAModel) {
  const auto file = record("arm", replaced(pendulum_scene, "\"arm.v\", ", ""), ".csv");
  std::filesystem::remove(folder_ / "arm.json");
  Session alone(shipped_plugins(), {file, {}, {}});
  EXPECT_THAT(problems(*settled(alone)), HasSubstr("the recording does not name its scene"));
  Session session(
      shipped_plugins(),
      {.file = file, .overrides = {}, .journal_folder = {}, .model = folder_ / "arm.lua"});
  ASSERT_TRUE(settled(session)->scene) << problems(*session.now());
  EXPECT_THAT(problems(*session.now()), HasSubstr("arm.v was not recorded"));
  EXPECT_EQ(session.now()->timeline.size(), 51u);
}

}  // namespace
}  // namespace torsor::editor::test
