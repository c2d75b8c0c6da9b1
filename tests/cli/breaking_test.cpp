// Plugins that crash, hang or give no numbers: what ends is their call.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "cli/program.hpp"
#include "support/rod_scene.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string hinge_scene = std::string(rod_in_world) + R"(
local p = torsor.params{ solver = "newton_euler", force = false, law = false, follow = false }
if p.force then world:force("breaking", {}) end
if p.law then arm:control("breaking", {}) end
if p.follow then arm:control("pid", { kp = 1, reference = arm:trajectory("breaking", {}) }) end
return world:experiment{ solver = p.solver, integrator = { "rk4", dt = 1e-3 }, duration = 0.1,
  record = { "arm.q" }, record_interval = 0.01 }
)";

class Breaking : public Program {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer ends the program when a plugin crashes";
#endif
    Program::SetUp();
  }
  void TearDown() override {
    unsetenv("BREAK_IN");
    Program::TearDown();
  }
  Output run_with(const std::string& setting, const std::string& how) {
    setenv("BREAK_IN", how.c_str(), 1);
    return torsor(
        {"run", file("hinge.lua", hinge_scene), "--plugins", TEST_PLUGINS "breaking.so", "--set", setting});
  }
};

TEST_F(Breaking, EndsTheRunThatSaysWhereAndKeepsItsRecording) {
  const struct {
    std::string setting, how, message;
  } cases[] = {
      {"solver=breaking", "inverse segfault",
       "solver 'solver.breaking' crashed in inverse: segmentation fault at address 0x0 ("},
      {"solver=breaking", "inverse abort", "solver 'solver.breaking' crashed in inverse: abort() ("},
      {"solver=breaking", "inverse exit", "solver 'solver.breaking' crashed in inverse: exit ("},
      {"solver=breaking", "inverse divide",
       "solver 'solver.breaking' crashed in inverse: division of an integer by zero ("},
      {"solver=breaking", "inverse overflow",  // of the stack
       "solver 'solver.breaking' crashed in inverse: segmentation fault at address"},
      {"solver=breaking", "inverse nan", "solver 'solver.breaking': inverse returned nan at joint 'hinge'"},
      {"force=true", "evaluate segfault", "force 'force.breaking' crashed in evaluate"},
      {"force=true", "evaluate nan", "force 'force.breaking': evaluate returns a torque at joint 'hinge'"},
      {"law=true", "evaluate segfault", "controller 'controller.breaking' crashed in evaluate"},
      {"law=true", "evaluate nan",
       "controller 'controller.breaking': evaluate returns a torque at joint 'hinge'"},
      {"follow=true", "evaluate segfault", "trajectory 'trajectory.breaking' crashed in evaluate"},
      {"follow=true", "evaluate nan", "trajectory 'trajectory.breaking': evaluate returns a derivative 0"},
  };
  for (const auto& [setting, how, message] : cases) {
    SCOPED_TRACE(setting + ", " + how);
    const Output run = run_with(setting, how);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, AllOf(HasSubstr("hinge.lua: at t = 0.05 s (step 50): "), HasSubstr(message),
                               HasSubstr("; the recording up to there is in 'recordings/hinge.h5'\n")));
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    ASSERT_EQ(torsor({"convert", "recordings/hinge.h5", "copy.csv"}).exit_code, 0);
    const std::string rows = read("copy.csv");
    EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 6) << rows;  // the head, and 0 to 0.05 s
    EXPECT_THAT(read("copy.json"), HasSubstr("\"complete\": false"));
  }
}

TEST_F(Breaking, IsNamedWhereThePluginIsMadeAndLost) {
  for (const std::string function : {"create", "set_param", "get_interface", "prepare", "destroy"}) {
    const Output run = run_with("solver=breaking", function + " segfault");
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("'solver.breaking' crashed in " + function + ": segmentation fault"));
  }
  EXPECT_THAT(run_with("follow=true", "describe abort").err,
              HasSubstr("trajectory 'trajectory.breaking' crashed in describe: abort()"));
  EXPECT_THAT(run_with("force=true", "torsor_plugin_entry segfault").err,
              HasSubstr("breaking.so' crashed in torsor_plugin_entry: segmentation fault"));
}

}  // namespace
}  // namespace torsor::test
