// Tests of plugins that are rebuilt while a session uses them: the run continues from its current
// state with the new plugins.

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "editor/session/journal.hpp"
#include "editor/session_fixture.hpp"
#include "editor/support/fault_note.hpp"
#include "support/rod_scene.hpp"
#include "support/sanitized.hpp"
#include "torsor/loading/fault_report.hpp"

namespace torsor::editor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string pushed_rod = std::string(torsor::test::rod_in_world) + R"(
world:force("rebuilt", {})
arm:control("rebuilt", { rate = 100 })
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 1e-3 }, duration = 10,
  record = { "arm.q" } }
)";

class RebuiltPlugin : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    put("rebuilt");
    options_ = {.file = write("p.lua", pushed_rod), .overrides = {}, .journal_folder = {}};
  }
  void put(const std::string& build) const {
    namespace fs = std::filesystem;
    fs::copy_file(fs::path(TEST_PLUGINS) / (build + ".so"), folder_ / "new",
                  fs::copy_options::overwrite_existing);
    fs::rename(folder_ / "new", folder_ / "plugins.so");
  }
  Registry plugins() const { return Registry({folder_ / "plugins.so", TORSOR_PLUGIN_DIR}); }
  testing::AssertionResult says(const Session& session, const std::string& text) const {
    return eventually([&] { return problems(*session.now()).find(text) != std::string::npos; });
  }

  SessionOptions options_;
};

// Checks the torques GAIN (t + x) of a force with the state x = t, and GAIN m of a control. m is
// the number of earlier samples of the control: 3 at 30 ms.
TEST_F(RebuiltPlugin, ContinuesFromTheCurrentState) {
  Session session(plugins(), options_);
  settled(session);
  session.post(command::Go{25});
  const auto before = settled(session);
  EXPECT_EQ(before->state.step, 25);
  put("rebuilt_gain");
  ASSERT_TRUE(says(session, "reloaded: the run continues with it from t = 0.025 s"));
  auto now = settled(session);
  EXPECT_NE(now->scene, before->scene);
  expect_same(now->state, before->state);
  EXPECT_EQ(now->state.memory, before->state.memory);
  EXPECT_EQ(now->state.held, before->state.held);
  EXPECT_EQ(now->timeline.step(0), 25);
  EXPECT_EQ(now->limit, before->limit);
  session.post(command::Go{0});
  EXPECT_EQ(settled(session)->state.step, 25) << "what was before is not gone back to";

  // The new plugin doubles the force at once. The torque of the control is constant until its next
  // sample at 30 ms.
  Experiment by_hand = now->scene->experiment;
  EXPECT_FALSE(by_hand.state.empty());
  session.post(command::Go{60});
  now = settled(session);
  const auto omega = [](double t) { return t * t; };  // for tau = 2 t and unit inertia
  const double held = before->state.held[0] * 0.005;
  const double sampled = 2 * (3 * 0.01 + 4 * 0.01 + 5 * 0.01);
  EXPECT_NEAR(now->state.v[0] - before->state.v[0],
              2 * (omega(0.06) - omega(0.025)) + held + sampled, 1e-12);
}

TEST_F(RebuiltPlugin, KeepsActiveEdits) {
  Session session(plugins(), options_);
  settled(session);
  session.post(command::Go{10});
  session.post(command::Edit{session.now()->scene, command::SetTorque{0, 3}});
  session.post(command::SetSolver{"lie_group"});
  session.post(command::Go{20});
  const auto before = settled(session);
  put("rebuilt_gain");
  ASSERT_TRUE(says(session, "the run continues with it"));
  const auto now = settled(session);
  expect_same(now->state, before->state);
  EXPECT_EQ(now->solver(), before->solver());
  EXPECT_EQ(now->torque(), before->torque());
  EXPECT_EQ(now->undoable, 0);
}

TEST_F(RebuiltPlugin, IsRefusedWhereItKeepsOtherNumbers) {
  Session session(plugins(), options_);
  settled(session);
  session.post(command::Go{25});
  const auto before = settled(session);
  put("rebuilt_states");
  ASSERT_TRUE(says(
      session,
      "force 'force.rebuilt' has 2 continuous states, the previous one had 1: the run continues"));
  EXPECT_EQ(settled(session)->scene, before->scene);
  session.post(command::Go{30});
  EXPECT_EQ(settled(session)->state.step, 30);
  session.post(command::Reload{});
  EXPECT_TRUE(eventually([&] { return session.now()->scene != before->scene; }));
  const auto anew = settled(session);
  EXPECT_EQ(anew->state.step, 30);
  EXPECT_EQ(anew->state.memory.size(), 2u);
}

TEST_F(RebuiltPlugin, IsWaitedForWhereItIsNotWhole) {
  Session session(plugins(), options_);
  settled(session);
  session.post(command::Go{25});
  const auto before = settled(session);
  std::filesystem::resize_file(folder_ / "plugins.so", 5000);
  ASSERT_TRUE(says(session, "is cut short"));
  EXPECT_EQ(settled(session)->scene, before->scene);
  put("rebuilt_gain");
  ASSERT_TRUE(says(session, "the run continues with it"));
  EXPECT_NE(settled(session)->scene, before->scene);
}

TEST_F(RebuiltPlugin, IsSaidToStayWhereTheLoaderKeepsIt) {
  put("rebuilt_stays");
  Session session(plugins(), options_);
  settled(session);
  put("rebuilt_gain");
  EXPECT_TRUE(says(session, "stays in memory"));
}

// Checks the journal of a window that was killed after its run had continued with a rebuilt plugin.
TEST_F(RebuiltPlugin, TheJournalStartsAtTheRebuild) {
  options_.journal_folder = folder_ / "journals";
  const auto journal = journal_file(options_.journal_folder, options_.file);
  Snapshot state;
  {
    Session session(plugins(), options_);
    settled(session);
    session.post(command::Go{25});
    settled(session);
    put("rebuilt_gain");
    ASSERT_TRUE(says(session, "the run continues with it"));
    session.post(command::Edit{settled(session)->scene, command::SetTorque{0, 3}});
    session.post(command::Go{40});
    state = settled(session)->state;
    EXPECT_TRUE(eventually([&] {
      return std::filesystem::exists(journal) &&
             text_of(journal).find("\"step\":40,") != std::string::npos;
    }));
    std::filesystem::copy_file(journal, folder_ / "kept");
  }
  std::filesystem::copy_file(folder_ / "kept", journal);
  Session session(plugins(), options_);
  const auto now = settled(session);
  EXPECT_THAT(problems(*now), HasSubstr("restored from the last session: 1 edit"));
  expect_same(now->state, state);
  EXPECT_EQ(now->timeline.step(0), 25);
}

// The file that the plugin "breaking" creates when its endless loop begins.
class Marker {
 public:
  explicit Marker(std::filesystem::path file) : file_(std::move(file)) {
    setenv("BREAK_MARKER", file_.c_str(), 1);
  }
  ~Marker() { unsetenv("BREAK_MARKER"); }
  Marker(const Marker&) = delete;
  bool is_set() const { return std::filesystem::exists(file_); }

 private:
  std::filesystem::path file_;
};

// A fixture for sessions in child processes. The environment variable BREAK_IN selects the function
// of the solver that fails.
class BreakingPlugin : public SessionTest {
 protected:
  void SetUp() override {
    TORSOR_NEEDS_OWN_FAULT_REPORTS();
    SessionTest::SetUp();
    std::string scene = replaced(pushed_rod, "world:force(\"rebuilt\", {})", "");
    scene = replaced(scene, "arm:control(\"rebuilt\", { rate = 100 })", "");
    options_ = {.file = write("breaks.lua", replaced(scene, "newton_euler", "breaking")),
                .overrides = {},
                .journal_folder = folder_ / "journals"};
  }
  void TearDown() override {
    unsetenv("BREAK_IN");
    SessionTest::TearDown();
  }
  static Registry plugins() {
    return Registry({std::filesystem::path(TEST_PLUGINS) / "breaking.so"});
  }

  SessionOptions options_;
};

TEST_F(BreakingPlugin, AFaultLeavesANoteAndTheRunIsRestored) {
  setenv("BREAK_IN", "inverse segfault", 1);
  const auto journal = journal_file(options_.journal_folder, options_.file);
  EXPECT_EXIT(
      {
        report_faults();
        keep_fault_note(folder_);
        Session session(plugins(), options_);
        settled(session);
        session.post(command::Go{25});
        session.post(command::Edit{settled(session)->scene, command::SetTorque{0, 3}});
        eventually([&] {
          return std::filesystem::exists(journal) &&
                 text_of(journal).find("\"step\":25,") != std::string::npos;
        });
        session.post(command::Go{100});
        for (;;) pause();
      },
      testing::ExitedWithCode(plugin_fault_status),
      "breaks.lua: at t = 0.05 s \\(step 50\\): solver 'solver.breaking' crashed in inverse");
  EXPECT_THAT(take_fault_note(folder_),
              AllOf(testing::StartsWith((folder_ / "breaks.lua").string() +
                                        ": at t = 0.05 s (step 50): solver"),
                    HasSubstr("; open the file again to continue its run")));
  EXPECT_EQ(take_fault_note(folder_), "");
  Session session(plugins(), options_);
  const auto now = settled(session);
  EXPECT_THAT(problems(*now), HasSubstr("restored from the last session: 1 edit"));
  EXPECT_EQ(now->state.step, 25);
}

TEST_F(BreakingPlugin, ACallThatHangsIsNamed) {
  setenv("BREAK_IN", "inverse loop", 1);
  EXPECT_EXIT(
      {
        report_faults();
        const Marker marker(folder_ / "hangs");
        Session session(plugins(), options_);
        settled(session);
        session.post(command::Go{100});
        eventually([&] { return marker.is_set(); });
        eventually([&] { return !session.hanging_call().empty(); });
        std::fprintf(stderr, "%s", session.hanging_call().c_str());
        // Skip the destructor of the session, which would wait for the call.
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^solver 'solver.breaking' in inverse$");
}

}  // namespace
}  // namespace torsor::editor::test
