// Plugins that are rebuilt while a session has them: its run continues with the new ones from its
// current state.

#include <gmock/gmock.h>

#include <cstdlib>

#include "editor/session/journal.hpp"
#include "editor/session_fixture.hpp"
#include "support/rod_scene.hpp"
#include "torsor/host/crash_guard.hpp"

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

// tau = GAIN (t + x) + GAIN m with x = t and m samples of the control so far: three samples after 30 ms.
TEST_F(RebuiltPlugin, GoesOnFromWhereTheRunStands) {
  Session session(plugins(), options_);
  settled(session);
  session.go(25);
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
  session.go(0);
  EXPECT_EQ(settled(session)->state.step, 25) << "what was before is not gone back to";

  // Twice the force of the states that are kept; the torque of the control is held until its next sample at 30 ms.
  Experiment by_hand = now->scene->experiment;
  EXPECT_FALSE(by_hand.state.empty());
  session.go(60);
  now = settled(session);
  const auto omega = [](double t) { return t * t; };  // of tau = 2 t, unit inertia
  const double held = before->state.held[0] * 0.005;
  const double sampled = 2 * (3 * 0.01 + 4 * 0.01 + 5 * 0.01);
  EXPECT_NEAR(now->state.v[0] - before->state.v[0], 2 * (omega(0.06) - omega(0.025)) + held + sampled, 1e-12);
}

TEST_F(RebuiltPlugin, KeepsTheEditsThatAreInForce) {
  Session session(plugins(), options_);
  settled(session);
  session.go(10);
  session.set_torque(session.now()->scene, 0, 3);
  session.set_solver("lie_group");
  session.go(20);
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
  session.go(25);
  const auto before = settled(session);
  put("rebuilt_states");
  ASSERT_TRUE(says(
      session, "force 'force.rebuilt' has 2 continuous states, the previous one had 1: the run continues"));
  EXPECT_EQ(settled(session)->scene, before->scene);
  session.go(30);
  EXPECT_EQ(settled(session)->state.step, 30);
  session.reload();
  EXPECT_TRUE(eventually([&] { return session.now()->scene != before->scene; }));
  const auto anew = settled(session);
  EXPECT_EQ(anew->state.step, 30);
  EXPECT_EQ(anew->state.memory.size(), 2u);
}

TEST_F(RebuiltPlugin, IsWaitedForWhereItIsNotWhole) {
  Session session(plugins(), options_);
  settled(session);
  session.go(25);
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

// A window that was killed after the run had gone on with a rebuilt plugin.
TEST_F(RebuiltPlugin, TheJournalBeginsWhereTheRunWentOn) {
  options_.journal_folder = folder_ / "journals";
  const auto journal = journal_file(options_.journal_folder, options_.file);
  Snapshot state;
  {
    Session session(plugins(), options_);
    settled(session);
    session.go(25);
    settled(session);
    put("rebuilt_gain");
    ASSERT_TRUE(says(session, "the run continues with it"));
    session.set_torque(settled(session)->scene, 0, 3);
    session.go(40);
    state = settled(session)->state;
    EXPECT_TRUE(eventually([&] {
      return std::filesystem::exists(journal) && text_of(journal).find("\"step\":40,") != std::string::npos;
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

// A file that the plugin "breaking" makes when it begins to loop.
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

// A second stop ends a call that hangs; a crash ends the run.
TEST_F(RebuiltPlugin, ACallThatDoesNotComeBackIsBrokenOff) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends the program when a plugin crashes";
#endif
  guard_plugin_calls();
  setenv("BREAK_IN", "inverse loop", 1);
  std::string scene = pushed_rod;
  scene = replaced(replaced(scene, "world:force(\"rebuilt\", {})", ""),
                   "arm:control(\"rebuilt\", { rate = 100 })", "");
  options_.file = write("hangs.lua", replaced(scene, "newton_euler", "breaking"));
  Session session(Registry({std::filesystem::path(TEST_PLUGINS) / "breaking.so"}), options_);
  const auto start = settled(session);
  ASSERT_TRUE(start->scene) << problems(*start);
  const char* broken_off = "did not return from inverse and was aborted";
  const Marker first(folder_ / "first");
  session.go(100);
  EXPECT_TRUE(eventually([&] { return first.is_set(); }));
  EXPECT_TRUE(eventually([&] {
    session.stop();
    return problems(*session.now()).find(broken_off) != std::string::npos;
  }));
  EXPECT_EQ(settled(session)->state.step, 50);
  const auto load_again = [&] {
    session.go(0);
    const auto before = settled(session)->scene;
    session.reload();
    EXPECT_TRUE(eventually([&] { return session.now()->scene != before; }));
    EXPECT_EQ(settled(session)->state.step, 0);
  };
  setenv("BREAK_IN", "inverse segfault", 1);
  load_again();
  session.go(100);
  EXPECT_TRUE(says(session, "crashed in inverse: segmentation fault"));
  EXPECT_EQ(settled(session)->state.step, 50);
  setenv("BREAK_IN", "inverse loop", 1);
  load_again();
  const Marker second(folder_ / "second");
  session.go(100);
  EXPECT_TRUE(eventually([&] { return second.is_set(); }));
  unsetenv("BREAK_IN");  // closing the session ends the call
}

}  // namespace
}  // namespace torsor::editor::test
