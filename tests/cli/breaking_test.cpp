// Tests of plugins that crash, throw, hang, end the program or return NaN. The process must end
// with a line that names the plugin, and the recording must be readable.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "cli/program.hpp"
#include "support/rod_scene.hpp"
#include "support/sanitized.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

const std::string hinge_scene = std::string(rod_in_world) + R"(
local p = torsor.params{ solver = "newton_euler", force = false, law = false, follow = false, duration = 0.1 }
if p.force then world:force("breaking", {}) end
if p.law then arm:control("breaking", {}) end
if p.follow then arm:control("pid", { kp = 1, reference = arm:trajectory("breaking", {}) }) end
return world:experiment{ solver = p.solver, integrator = { "rk4", dt = 1e-3 }, duration = p.duration,
  record = { "arm.q" }, record_interval = 0.01 }
)";

constexpr int plugin_fault = 3, user_error = 2;
const std::string breaking = TEST_PLUGINS "breaking.so";

class Breaking : public Program {
 protected:
  void SetUp() override {
    TORSOR_NEEDS_OWN_FAULT_REPORTS();
    Program::SetUp();
  }
  void TearDown() override {
    for (const char* name : {"BREAK_IN", "BREAK_AFTER"}) unsetenv(name);
    Program::TearDown();
  }
  // Runs a command with the plugin `breaking`. `how` names the function that fails and the kind of
  // failure (BREAK_IN).
  Output torsor_with(const std::string& how, std::vector<std::string> arguments) {
    setenv("BREAK_IN", how.c_str(), 1);
    arguments.insert(arguments.end(), {"--plugins", breaking});
    return torsor(arguments);
  }
  Output run_with(const std::string& setting, const std::string& how) {
    return torsor_with(how, {"run", file("hinge.lua", hinge_scene), "--set", setting});
  }
  // Returns the number of rows of a recording. Checks that it is readable and marked as incomplete.
  long rows_of(const std::string& recording) {
    EXPECT_EQ(torsor({"convert", recording, "copy.csv"}).exit_code, 0);
    EXPECT_THAT(read("copy.json"), HasSubstr("\"complete\": false"));
    const std::string rows = read("copy.csv");
    return std::ranges::count(rows, '\n') - 1;
  }
};

TEST_F(Breaking, AFaultEndsTheRunAndTheRecordingCanBeRead) {
  const struct {
    std::string setting, how, message;
  } cases[] = {
      {"solver=breaking", "inverse segfault",
       "solver 'solver.breaking' crashed in inverse: segmentation fault at address 0x0 ("},
      {"solver=breaking", "inverse abort",
       "solver 'solver.breaking' crashed in inverse: abort() ("},
      {"solver=breaking", "inverse exit", "solver 'solver.breaking' called exit() in inverse ("},
      {"solver=breaking", "inverse quick_exit",
       "solver 'solver.breaking' called exit() in inverse ("},
      {"solver=breaking", "inverse throw",
       "solver 'solver.breaking' threw an exception out of inverse: thrown out ("},
      {"solver=breaking", "inverse divide",
       "solver 'solver.breaking' crashed in inverse: division of an integer by zero ("},
      // The stack overflows.
      {"solver=breaking", "inverse overflow",
       "solver 'solver.breaking' crashed in inverse: segmentation fault at address"},
      {"force=true", "evaluate segfault", "force 'force.breaking' crashed in evaluate"},
      {"law=true", "evaluate segfault", "controller 'controller.breaking' crashed in evaluate"},
      {"follow=true", "evaluate segfault", "trajectory 'trajectory.breaking' crashed in evaluate"},
      {"solver=breaking", "inverse thread",
       "segmentation fault at address 0x0 outside of all plugins; one of them may have damaged"},
  };
  for (const auto& [setting, how, message] : cases) {
    SCOPED_TRACE(setting + ", " + how);
    const bool on_another_thread = how == "inverse thread";
    const Output run = run_with(setting, how);
    EXPECT_EQ(run.exit_code, plugin_fault);
    EXPECT_THAT(run.err,
                AllOf(HasSubstr(message), HasSubstr(breaking),
                      HasSubstr("; check the plugin with 'torsor validate " + breaking + "'")));
    if (!on_another_thread) {
      EXPECT_THAT(
          run.err,
          AllOf(HasSubstr("hinge.lua: at t = 0.05 s (step 50): "),
                HasSubstr("; the recording 'recordings/hinge.h5' can be read up to its last "
                          "flush\n")));
    }
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    EXPECT_GE(rows_of("recordings/hinge.h5"), 1);
  }
}

TEST_F(Breaking, AFaultInTheFirstCallHasATime) {
  setenv("BREAK_AFTER", "0", 1);
  EXPECT_THAT(
      run_with("solver=breaking", "inverse segfault").err,
      HasSubstr("hinge.lua: at t = 0 s (step 0): solver 'solver.breaking' crashed in inverse"));
}

TEST_F(Breaking, ResultsThatAreNotFiniteAreAnErrorAndTheRecordingHasAllRows) {
  const struct {
    std::string setting, how, message;
  } cases[] = {
      {"solver=breaking", "inverse nan",
       "solver 'solver.breaking': inverse returned nan at joint 'hinge'"},
      {"force=true", "evaluate nan",
       "force 'force.breaking': evaluate returns a torque at joint 'hinge'"},
      {"law=true", "evaluate nan",
       "controller 'controller.breaking': evaluate returns a torque at joint 'hinge'"},
      {"follow=true", "evaluate nan",
       "trajectory 'trajectory.breaking': evaluate returns a derivative 0"},
  };
  for (const auto& [setting, how, message] : cases) {
    SCOPED_TRACE(setting);
    const Output run = run_with(setting, how);
    EXPECT_EQ(run.exit_code, user_error);
    EXPECT_THAT(run.err,
                AllOf(HasSubstr("hinge.lua: at t = 0.05 s (step 50): "), HasSubstr(message),
                      HasSubstr("; the recording up to there is in 'recordings/hinge.h5'\n")));
    EXPECT_EQ(rows_of("recordings/hinge.h5"), 6);  // every 0.01 s from 0 to 0.05 s
  }
}

// Checks damage to the heap that malloc() detects. malloc() then holds its lock, so any further
// allocation in the process would wait forever.
TEST_F(Breaking, ADamagedHeapEndsTheProcessWithTwoThreads) {
  const Output run = run_with("solver=breaking", "prepare overrun");
  EXPECT_EQ(run.exit_code, plugin_fault);
  EXPECT_THAT(run.err, HasSubstr("solver 'solver.breaking' crashed in prepare: abort()"));
}

TEST_F(Breaking, ThePluginIsNamedIfItsSetUpFails) {
  for (const std::string function :
       {"create", "set_param", "get_interface", "prepare", "destroy"}) {
    const Output run = run_with("solver=breaking", function + " segfault");
    EXPECT_EQ(run.exit_code, plugin_fault);
    EXPECT_THAT(run.err,
                HasSubstr("'solver.breaking' crashed in " + function + ": segmentation fault"));
  }
  EXPECT_THAT(run_with("follow=true", "describe abort").err,
              HasSubstr("trajectory 'trajectory.breaking' crashed in describe: abort()"));
  const Output entry = run_with("force=true", "torsor_plugin_entry segfault");
  EXPECT_EQ(entry.exit_code, plugin_fault);
  EXPECT_THAT(entry.err, HasSubstr("plugin file '" + breaking +
                                   "' crashed in torsor_plugin_entry: segmentation fault"));
}

TEST_F(Breaking, AFaultEndsOtherCommands) {
  const std::string scene = file("hinge.lua", hinge_scene);
  const std::string message =
      "hinge.lua: solver 'solver.breaking' crashed in prepare: segmentation fault";
  file("states.json", R"({ "states": [ { "q": { "hinge": 0.1 } } ] })");
  const std::vector<std::string> commands[] = {
      {"compare", scene}, {"eval", scene, "--solver", "breaking", "--states", "states.json"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(command[0]);
    const Output output = torsor_with("prepare segfault", command);
    EXPECT_EQ(output.exit_code, plugin_fault) << output.err;
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_THAT(output.err,
                AnyOf(HasSubstr("; no comparison is printed; --solver ID,... selects other"),
                      HasSubstr("; no results are printed")));
  }
}

TEST_F(Breaking, AFaultEndsASampleOfAStudy) {
  const std::string scene = file("hinge.lua", hinge_scene);
  const Output study =
      torsor_with("inverse segfault",
                  {"study", scene, "--grid", "solver=newton_euler,breaking", "--jobs", "1"});
  EXPECT_EQ(study.exit_code, 0) << study.err;
  EXPECT_THAT(
      study.out,
      AllOf(HasSubstr("hinge.lua: at t = 0.05 s (step 50): solver 'solver.breaking' crashed"),
            HasSubstr("torsor run " + scene + " --sample recordings/hinge-study.h5:1\n")));
  const Output again =
      torsor_with("inverse segfault", {"run", scene, "--sample", "recordings/hinge-study.h5:1"});
  EXPECT_EQ(again.exit_code, plugin_fault);
  EXPECT_THAT(again.err, HasSubstr("solver 'solver.breaking' crashed"));
  const Output sample = torsor({"run", scene, "--sample", "recordings/hinge-study.h5:0"});
  EXPECT_EQ(sample.exit_code, 0) << sample.err;
  EXPECT_THAT(sample.out, HasSubstr("the same final state to the bit"));
}

// Checks a crash long after the start: the rows of the recording are the first rows of a complete
// run.
TEST_F(Breaking, TheRecordingHasTheRowsBeforeItsLastFlush) {
  setenv("BREAK_AFTER", "0.2", 1);
  const std::string scene = file("hinge.lua", hinge_scene);
  for (const std::string format : {"h5", "csv"}) {
    SCOPED_TRACE(format);
    const Output run = torsor_with("inverse abort", {"run", scene, "--set", "solver=breaking",
                                                     "--set", "duration=1e4", "--format", format});
    EXPECT_EQ(run.exit_code, plugin_fault);
    const long rows = rows_of("recordings/hinge." + format);
    EXPECT_GT(rows, 100);
    const std::string duration = std::to_string(rows / 100 + 1), broken = read("copy.csv");
    unsetenv("BREAK_IN");
    const Output whole =
        torsor({"run", scene, "--set", "solver=breaking", "--set", "duration=" + duration,
                "--format", "csv", "--folder", "whole", "--plugins", breaking});
    EXPECT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_TRUE(read("whole/hinge.csv").starts_with(broken));
  }
}

}  // namespace
}  // namespace torsor::test
