// Tests of messages about plugin files that are damaged, that harm the process when they are
// loaded, or that harm the run.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "cli/program.hpp"
#include "support/eventually.hpp"
#include "support/forked.hpp"
#include "support/rod_scene.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string scene_with_settings = std::string(rod_in_world) + R"(
local p = torsor.params{ solver = "newton_euler", force = false, law = false, follow = false, duration = 0.1 }
if p.force then world:force("misbehaving", {}) end
if p.law then arm:control("misbehaving", { rate = 1000 }) end
if p.follow then arm:control("pid", { kp = 1, reference = arm:trajectory("misbehaving", {}) }) end
return world:experiment{ solver = p.solver, integrator = { "rk4", dt = 1e-3 }, duration = p.duration,
  record = { "arm.q" }, record_interval = 0.01 }
)";

class Loading : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    setenv("TMPDIR", "/nowhere", 1);
    cache_ = folder_ / "cache";
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    unsetenv("MISBEHAVE");
    Program::TearDown();
  }
  Output run_with(const std::vector<std::string>& more) {
    std::vector<std::string> line{"run", file("rod.lua", scene_with_settings)};
    line.insert(line.end(), more.begin(), more.end());
    return torsor(line);
  }
  fs::path cache_;
};

size_t lines_of(const std::string& text) {
  return size_t(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Loading, NamesAFileThatIsGivenAndCannotBeLoaded) {
  for (const char* name : {"loads_crashing", "loads_exiting", "loads_handler"}) {
    const std::string path = TEST_PLUGINS + std::string(name) + ".so";
    const Output output = run_with({"--plugins", path});
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr("plugin file '" + path + "' cannot be "));
    EXPECT_EQ(lines_of(output.err), 1u) << output.err;
  }
}

TEST_F(Loading, SkipsAFileThatNobodyAskedFor) {
  fs::create_directories(folder_ / "data/torsor/plugins");
  fs::copy_file(TEST_PLUGINS "aborting.so", folder_ / "data/torsor/plugins/bad.so");
  const Output output = run_with({});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err,
              HasSubstr("data/torsor/plugins/bad.so' cannot be loaded: it crashed (aborted)"));
}

// Checks that a killed run leaves no temporary files, and that only the list of known files is
// written.
TEST_F(Loading, LeavesNothingBehindWhenItIsKilled) {
  const std::string scene = file("rod.lua", scene_with_settings);
  fs::create_directories(folder_ / "tmp");
  setenv("TMPDIR", (folder_ / "tmp").c_str(), 1);
  const pid_t child = forked();
  if (child == 0) {
    if (chdir(folder_.c_str()) != 0) _exit(126);
    setenv("XDG_DATA_HOME", (folder_ / "data").c_str(), 1);
    for (const int standard : {STDOUT_FILENO, STDERR_FILENO})
      dup2(open("/dev/null", O_WRONLY), standard);
    execl(TORSOR_PROGRAM, TORSOR_PROGRAM, "run", scene.c_str(), "--set", "duration=1000000",
          "--plugins", TEST_PLUGINS "misbehaving.so", nullptr);
    _exit(127);
  }
  EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "recordings/rod.h5"); }));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
  std::vector<std::string> cached;
  for (const auto& entry : fs::recursive_directory_iterator(cache_))
    if (entry.is_regular_file()) cached.push_back(entry.path().filename());
  EXPECT_THAT(cached, testing::ElementsAre("loaded_plugins"));
}

TEST_F(Loading, EndsTheRunOfAPluginThatHarmsIt) {
  const struct {
    const char *setting, *how, *message;
  } cases[] = {
      {"solver=misbehaving", "tau beyond",
       "solver 'solver.misbehaving': inverse wrote beyond the end of 'tau'"},
      {"solver=misbehaving", "work before",
       "solver 'solver.misbehaving': inverse wrote before the start of 'work'"},
      {"force=true", "F_B beyond",
       "force 'force.misbehaving': evaluate wrote beyond the end of 'F_B'"},
      {"law=true", "memory beyond",
       "controller 'controller.misbehaving': evaluate wrote beyond the end of 'memory'"},
      {"follow=true", "out beyond",
       "trajectory 'trajectory.misbehaving': evaluate wrote beyond the end of 'out'"},
      {"solver=misbehaving", "rounding",
       "solver 'solver.misbehaving': inverse changed the rounding mode"},
      {"force=true", "rounding", "evaluate: it changed the rounding mode"},
      {"law=true", "traps", "evaluate changed the traps of floating-point exceptions"},
      {"solver=misbehaving", "sigint", "changed the handler of the signal SIGINT"},
      {"force=true", "folder", "changed the current folder"},
  };
  for (const auto& [setting, how, message] : cases) {
    SCOPED_TRACE(std::string(setting) + " " + how);
    setenv("MISBEHAVE", how, 1);
    const Output output = run_with({"--plugins", TEST_PLUGINS "misbehaving.so", "--set", setting});
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, AllOf(HasSubstr(message), HasSubstr("rod.lua")));
  }
}

}  // namespace
}  // namespace torsor::test
