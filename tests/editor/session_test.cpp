#include <gmock/gmock.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "editor/session_fixture.hpp"
#include "torsor/run/player.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

// Returns the state of the experiment after some steps, computed by a separate simulation.
Snapshot by_hand(const Experiment& experiment, long long steps) {
  Player player(experiment);
  for (long long k = 0; k < steps; ++k) player.simulation().step();
  return player.simulation().snapshot();
}

TEST_F(SessionTest, LoadsASceneAtItsStart) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const auto now = settled(session);
  ASSERT_TRUE(now->scene);
  EXPECT_EQ(now->state.step, 0);
  EXPECT_EQ(now->state.q, (std::vector<double>{2.0, 0.1}));
  EXPECT_EQ(now->scene->steps, 500);
  EXPECT_EQ(now->limit, 500);
  EXPECT_FALSE(now->playing);
  EXPECT_EQ(now->solver(), "articulated_body");
  EXPECT_EQ(problems(*now), "");
}

TEST_F(SessionTest, OpensARobotByItself) {
  Session session(
      shipped_plugins(),
      {.file = source_file("scenes/urdf_arm.urdf"), .overrides = {}, .journal_folder = {}});
  const auto now = settled(session);
  ASSERT_TRUE(now->scene) << problems(*now);
  EXPECT_EQ(now->scene->model().robots.size(), 1u);
  EXPECT_EQ(now->limit, 10000);
  session.post(command::Go{3});
  EXPECT_EQ(settled(session)->state.step, 3);
}

// Checks all uses of a solver from the scene: in the run, in the recording, and in the list of
// solvers.
TEST_F(SessionTest, RunsBySolversThatTheSceneDefines) {
  const std::string own =
      "torsor.solver('own', { inverse = function(model, state, vdot) return vdot end })\n";
  Session session(shipped_plugins(),
                  {.file = write("p.lua", replaced(pendulum_scene, "local arm", own + "local arm")),
                   .overrides = {},
                   .journal_folder = {}});
  EXPECT_EQ(problems(*settled(session)), "");
  session.post(command::SetSolver{"own"});
  session.post(command::Go{20});
  session.post(command::SaveRecording{folder_});
  const auto now = settled(session);
  EXPECT_EQ(now->solver(), "solver.own");
  EXPECT_EQ(now->state.q, (std::vector<double>{2.0, 0.1}));  // this solver has no gravity
  EXPECT_TRUE(std::any_of(
      now->scene->solvers.begin(), now->scene->solvers.end(),
      [](const auto& choice) { return choice.id == "solver.own" && choice.rejection.empty(); }));
  EXPECT_THAT(problems(*now), HasSubstr("p.h5: recording saved"));
}

TEST_F(SessionTest, AttachesTheRootOfAUrdfByAFloatingJointOnRequest) {
  const auto file = write("body.urdf",
                          R"(<robot name="body"><link name="root"><inertial><mass value="1"/>
                             <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>)");
  const auto opened = [&](const std::filesystem::path& path) {
    Session session(shipped_plugins(),
                    {.file = path, .overrides = {}, .journal_folder = {}, .floating_base = true});
    settled(session);
    session.post(command::Go{1000});
    return settled(session);
  };
  const auto now = opened(file);
  ASSERT_TRUE(now->scene) << problems(*now);
  ASSERT_EQ(now->state.q.size(), 7u);
  EXPECT_EQ(now->scene->model().joints[0].name, "floating_base");
  EXPECT_NEAR(now->state.q[2], -9.81 / 2, 1e-12) << "it falls for 1 s";
  EXPECT_THAT(problems(*opened(write("p.lua", pendulum_scene))),
              HasSubstr("--floating-base is only for .urdf, "));
}

TEST_F(SessionTest, EveryStepIsThatOfASimulationHoweverItIsReached) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const Experiment experiment = settled(session)->scene->experiment;
  for (const long long step : {0, 137, 20, 138, 400, 1, 399, 400}) {
    session.post(command::Go{step});
    expect_same(settled(session)->state, by_hand(experiment, step));
  }
  session.post(command::Step{-7});
  expect_same(settled(session)->state, by_hand(experiment, 393));
  session.post(command::Step{20});
  expect_same(settled(session)->state, by_hand(experiment, 413));
  session.post(command::Step{-1000});
  EXPECT_EQ(settled(session)->state.step, 0);
}

TEST_F(SessionTest, PlaysToTheLimitAndThenAsFarAgain) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::SetSpeed{64});
  session.post(command::Play{});
  EXPECT_TRUE(
      eventually([&] { return session.now()->state.step == 500 && !session.now()->playing; }));
  expect_same(session.now()->state, by_hand(session.now()->scene->experiment, 500));
  session.post(command::Play{});
  EXPECT_TRUE(eventually([&] { return session.now()->state.step > 500; }));
  session.post(command::Pause{});
  const auto now = settled(session);
  EXPECT_EQ(now->limit, 1000);
  EXPECT_FALSE(now->playing);
}

TEST_F(SessionTest, EditsCutWhatLiesAfterThemAndAreUndone) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Go{300});
  const Snapshot end = settled(session)->state;
  session.post(command::Go{100});
  const Snapshot before = settled(session)->state;
  session.post(command::Edit{session.now()->scene, command::SetPosition{0, 1.5}});
  session.post(command::Edit{session.now()->scene, command::SetVelocity{1, -0.25}});
  session.post(command::Edit{session.now()->scene, command::SetTorque{0, 3}});
  auto now = settled(session);
  EXPECT_EQ(now->state.q, (std::vector<double>{1.5, before.q[1]}));
  EXPECT_EQ(now->state.v, (std::vector<double>{before.v[0], -0.25}));
  EXPECT_EQ(now->torque(), (std::vector<double>{3, 0}));
  EXPECT_EQ(now->timeline.end(), 100);
  EXPECT_EQ(now->undoable, 3);
  session.post(command::Go{200});
  const Snapshot edited = settled(session)->state;
  session.post(command::Go{100});
  for (int k = 0; k < 3; ++k) session.post(command::Undo{});
  now = settled(session);
  expect_same(now->state, before);
  EXPECT_EQ(now->timeline.end(), 300);
  EXPECT_EQ(now->redoable, 3);
  EXPECT_EQ(now->torque(), (std::vector<double>{0, 0}));
  session.post(command::Go{300});
  expect_same(settled(session)->state, end);
  for (int k = 0; k < 3; ++k) session.post(command::Redo{});
  session.post(command::Go{200});
  expect_same(settled(session)->state, edited);
  session.post(command::Undo{});
  session.post(command::Edit{session.now()->scene, command::SetPosition{0, 1}});
  EXPECT_EQ(settled(session)->redoable, 0) << "a new edit leaves nothing to redo";
}

TEST_F(SessionTest, ADragIsUndoneAsOne) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const Snapshot before = settled(session)->state;
  session.post(command::Edit{session.now()->scene, command::SetPosition{0, 1.0}});
  for (int k = 1; k <= 50; ++k)
    session.post(
        command::Edit{session.now()->scene, command::SetPosition{0, 1.0 + 0.01 * k}, true});
  auto now = settled(session);
  EXPECT_DOUBLE_EQ(now->state.q[0], 1.5);
  EXPECT_EQ(now->undoable, 1);
  EXPECT_EQ(now->timeline.changes().size(), 1u);
  // This edit of another joint does not belong to the drag.
  session.post(command::Edit{session.now()->scene, command::SetPosition{1, 0.3}, true});
  EXPECT_EQ(settled(session)->undoable, 2);
  session.post(command::Undo{});
  session.post(command::Undo{});
  session.post(command::Undo{});  // nothing is left to undo
  expect_same(settled(session)->state, before);
}

TEST_F(SessionTest, InvalidEditsAreRejected) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const Snapshot before = settled(session)->state;
  session.post(command::Edit{session.now()->scene,
                             command::SetPosition{0, std::numeric_limits<double>::quiet_NaN()}});
  session.post(command::Edit{session.now()->scene,
                             command::SetTorque{1, std::numeric_limits<double>::infinity()}});
  const auto now = settled(session);
  expect_same(now->state, before);
  EXPECT_EQ(now->undoable, 0);
  EXPECT_THAT(problems(*now), HasSubstr("finite"));
}

TEST_F(SessionTest, TheSolverChangesWithoutABitOfTheState) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Go{50});
  const Snapshot before = settled(session)->state;
  session.post(command::SetSolver{"newton_euler"});
  auto now = settled(session);
  expect_same(now->state, before);
  EXPECT_EQ(now->solver(), "solver.newton_euler");
  session.post(command::Go{90});
  const Snapshot after = settled(session)->state;
  Experiment other = now->scene->experiment;
  Player player(now->scene->experiment);
  while (player.simulation().steps() < 50) player.simulation().step();
  player.simulation().change_solver(
      [](auto model) { return shipped_plugins().solver("newton_euler", model); });
  while (player.simulation().steps() < 90) player.simulation().step();
  expect_same(after, player.simulation().snapshot());
  session.post(command::Go{10});
  EXPECT_EQ(settled(session)->solver(), "articulated_body") << "before the change";
  session.post(command::Go{90});
  expect_same(settled(session)->state, after);
  session.post(command::SetSolver{"newton_euler"});
  EXPECT_EQ(settled(session)->undoable, 1) << "it is in force already";
  session.post(command::SetSolver{"newton_oiler"});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("did you mean"));
}

TEST_F(SessionTest, ABrokenSceneLeavesTheLastGoodOne) {
  const auto file = write("p.lua", pendulum_scene);
  Session session(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Go{40});
  const auto before = settled(session);
  write("p.lua", replaced(pendulum_scene, "hinge\", axis", "hinge\", axes"));
  session.post(command::Reload{});
  auto now = settled(session);
  EXPECT_EQ(now->scene, before->scene);
  expect_same(now->state, before->state);
  EXPECT_THAT(problems(*now), HasSubstr("p.lua:4: "));
  EXPECT_THAT(problems(*now), HasSubstr("the last version that loaded is still in use"));
  write("p.lua", replaced(pendulum_scene, "q = {2.0", "q = {1.0"));
  session.post(command::Reload{});
  now = settled(session);
  EXPECT_NE(now->scene, before->scene);
  EXPECT_EQ(now->state.step, 40);
  expect_same(now->state, by_hand(now->scene->experiment, 40));
}

TEST_F(SessionTest, AChangedFileIsReloaded) {
  const auto file =
      write("p.lua", replaced(pendulum_scene, "axis = {0, 1, 0}", "axis = require(\"beside\")"));
  write("beside.lua", "return {0, 1, 0}");
  Session session(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  const auto first = settled(session)->scene;
  ASSERT_TRUE(first) << problems(*session.now());
  write("beside.lua", "return {1, 0, 0}");
  EXPECT_TRUE(eventually([&] { return session.now()->scene != first; }))
      << "a module that it requires";
}

TEST_F(SessionTest, ABrokenFirstSceneCanBeFixed) {
  const auto file = write("p.lua", "return");
  Session session(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  auto now = settled(session);
  EXPECT_FALSE(now->scene);
  EXPECT_THAT(problems(*now), HasSubstr("it must return"));
  session.post(command::Play{});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("no scene is loaded"));
  write("p.lua", pendulum_scene);
  EXPECT_TRUE(eventually([&] { return session.now()->scene != nullptr; }));
}

TEST_F(SessionTest, AScriptThatDoesNotReturnIsStopped) {
  const auto file =
      write("p.lua",
            "local text = ('a'):rep(20000)\nwhile true do text:find(('a?'):rep(200) .. 'b') end");
  Session session(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  session.stop();
  const auto now = settled(session);
  EXPECT_FALSE(now->scene);
  EXPECT_THAT(problems(*now), HasSubstr("p.lua"));
}

TEST_F(SessionTest, ADivergingRunStopsAndKeepsItsStates) {
  const std::string wild = replaced(
      replaced(pendulum_scene, "dt = 1e-3 }, duration = 0.5", "dt = 0.5 }, duration = 500"),
      "record_interval = 0.01", "record_interval = 0.5");
  Session session(shipped_plugins(),
                  {.file = write("p.lua", wild), .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Go{1000});
  const auto now = settled(session);
  EXPECT_THAT(problems(*now), HasSubstr("t = "));
  EXPECT_LT(now->state.step, 1000);
  EXPECT_EQ(now->timeline.end(), now->state.step);
  session.post(command::Go{1});
  EXPECT_EQ(settled(session)->state.step, 1);
}

TEST_F(SessionTest, TheRecordingIsThatOfARunWithTheSameEdits) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Go{120});
  session.post(command::Edit{session.now()->scene, command::SetPosition{0, 0.5}});
  session.post(command::SetSolver{"lie_group"});
  session.post(command::Go{200});
  session.post(command::Edit{session.now()->scene, command::SetTorque{1, 2}});
  const auto now = settled(session);
  session.post(command::SaveRecording{folder_ / "editor"});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("recording saved"));
  Experiment experiment = now->scene->experiment;
  experiment.changes = now->timeline.changes();
  RecordedRun run(
      experiment,
      [](const std::string& id) {
        const PluginInfo& plugin = shipped_plugins().find<Solver>(id);
        return SolverIdentity{plugin.id, plugin.version, plugin.sha256};
      },
      folder_ / "p.lua", folder_ / "run/p.h5");
  EXPECT_TRUE(run.execute([](const Simulation&) { return true; }));
  EXPECT_EQ(text_of(folder_ / "editor/p.h5"), text_of(folder_ / "run/p.h5"));
  session.post(command::Go{500});
  expect_same(settled(session)->state, run.run().simulation().snapshot());
  EXPECT_THAT(read_recording(folder_ / "editor/p.h5").description, HasSubstr("\"edits\""));
}

TEST_F(SessionTest, ARecordingThatCannotBeWrittenIsAProblem) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  settled(session);
  write("occupied", "");
  session.post(command::SaveRecording{folder_ / "occupied"});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("occupied"));
}

// Checks edits of a scene that is no longer loaded. They wait while the run computes up to a step.
// Before they are executed, a scene with fewer joints is loaded.
TEST_F(SessionTest, EditsOfAReplacedSceneAreRejected) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(session)->scene;
  session.post(command::Edit{scene, command::SetPosition{1, 0.5}});
  settled(session);
  const std::string text = pendulum_scene;
  const size_t tip = text.find("arm:link{ name = \"tip\"");
  write("p.lua",
        replaced(text.substr(0, tip) + text.substr(text.find("arm:set")), "{2.0, 0.1}", "{2.0}"));
  session.post(command::Reload{});
  EXPECT_NE(settled(session)->scene, scene);
  session.post(command::Edit{scene, command::SetPosition{1, 0.7}});
  session.post(command::Edit{scene, command::SetTorque{1, 0.7}});
  const auto now = settled(session);
  EXPECT_EQ(now->undoable, 1) << "only the edit from before the reload";
  EXPECT_THAT(problems(*now), HasSubstr("the scene was reloaded before this edit could be made"));
}

TEST_F(SessionTest, MessagesOfALoadAreErasedByTheNextOne) {
  const auto file = write("p.lua", pendulum_scene);
  Session session(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  settled(session);
  session.post(command::Report{{Problem::Kind::warning, "of something else"}});
  write("p.lua", "local x = = 1");
  session.post(command::Reload{});
  EXPECT_THAT(problems(*settled(session)), HasSubstr("p.lua:1: "));
  EXPECT_THAT(problems(*session.now()), HasSubstr("the last version that loaded is still in use"));
  EXPECT_EQ(session.now()->errors, 1);
  write("p.lua", replaced(pendulum_scene, "0.5", "0.75"));
  session.post(command::Reload{});
  EXPECT_EQ(problems(*settled(session)), "of something else\n" + file.string() + ": reloaded\n");
  EXPECT_EQ(session.now()->errors, 1) << "so many there were";
}

TEST_F(SessionTest, ItIsEditedWhileItPlays) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(session)->scene;
  session.post(command::SetSpeed{1.0 / 64});
  session.post(command::Play{});
  session.post(command::Edit{scene, command::SetVelocity{0, 1}});
  session.post(command::Edit{scene, command::SetTorque{1, 3}});
  const auto edited = settled(session);
  EXPECT_EQ(problems(*edited), "");
  EXPECT_TRUE(edited->playing);
  EXPECT_EQ(edited->torque(), (std::vector<double>{0, 3}));
  EXPECT_EQ(edited->timeline.changes().size(), 2u);
  session.post(command::SetSpeed{1e300});
  session.post(command::SetSpeed{0});
  EXPECT_EQ(settled(session)->speed, 1.0 / 64);
}

TEST_F(SessionTest, AStopDiscardsCommandsButNotMessages) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(session)->scene;
  session.post(command::Go{100'000'000});
  session.post(command::Edit{scene, command::SetPosition{0, 0.5}});
  session.post(command::Report{{Problem::Kind::note, "said"}});
  session.stop();
  const auto now = settled(session);
  EXPECT_LT(now->state.step, 100'000'000);
  EXPECT_EQ(now->undoable, 0);
  EXPECT_EQ(now->limit, std::max(500LL, now->timeline.end()));
  EXPECT_THAT(problems(*now), HasSubstr("said"));
}

// Detects whether a file was read after the constructor.
class ReadWatch {
 public:
  explicit ReadWatch(const std::filesystem::path& file) {
    EXPECT_GE(inotify_add_watch(notify_, file.c_str(), IN_CLOSE_NOWRITE), 0);
  }
  ~ReadWatch() { ::close(notify_); }
  ReadWatch(const ReadWatch&) = delete;

  bool was_read() const {
    pollfd event{.fd = notify_, .events = POLLIN, .revents = 0};
    return poll(&event, 1, 60'000) == 1;
  }

 private:
  int notify_ = inotify_init1(IN_CLOEXEC);
};

TEST_F(SessionTest, AFileThatIsTouchedIsNotReloaded) {
  const auto file = write("p.lua", pendulum_scene);
  Session session(shipped_plugins(), {.file = file, .overrides = {}, .journal_folder = {}});
  const auto scene = settled(session)->scene;
  session.post(command::Edit{scene, command::SetPosition{0, 0.5}});
  settled(session);
  const ReadWatch watch(file);
  const auto time = std::filesystem::last_write_time(file);
  EXPECT_TRUE(eventually([&] {
    write("p.lua", pendulum_scene);
    return std::filesystem::last_write_time(file) != time;
  }));
  EXPECT_TRUE(watch.was_read()) << "the session did not compare it with the loaded text";
  session.post(command::Report{{Problem::Kind::note, "handled after the comparison"}});
  EXPECT_EQ(settled(session)->scene, scene);
  EXPECT_EQ(session.now()->undoable, 1);
}

// Reads published states in a loop. Each of them must be consistent: the timeline must end at the
// current step with the current state.
TEST_F(SessionTest, PublishedStatesAreConsistent) {
  Session session(shipped_plugins(),
                  {.file = write("p.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  const Experiment experiment = settled(session)->scene->experiment;
  session.post(command::SetSpeed{64});
  session.post(command::Play{});
  long long last = 0;
  const auto read = [&](int k) {
    const auto now = session.now();
    ASSERT_LE(now->state.step, now->timeline.end());
    const Snapshot kept = now->timeline.at(now->timeline.size() - 1);
    ASSERT_EQ(kept.step, now->timeline.end());
    if (kept.step == now->state.step) {
      ASSERT_EQ(kept.q, now->state.q);
    }
    last = std::max(last, now->state.step);
    if (k % 500 == 499) session.post(command::Go{k / 100});
    if (k % 700 == 699) session.post(command::Play{});
  };
  int reads = 0;
  EXPECT_TRUE(eventually(
      [&] {
        read(reads++);
        return HasFatalFailure() || (reads >= 3000 && last > 0);
      },
      std::chrono::microseconds(200)));
  session.post(command::Pause{});
  session.post(command::Go{500});
  expect_same(settled(session)->state, by_hand(experiment, 500));
  EXPECT_GT(last, 0);
}

}  // namespace
}  // namespace torsor::editor::test
