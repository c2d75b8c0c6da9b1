#pragma once
// Test fixture for trust: a folder with scenes, another folder, and a plugin that writes a file
// when its code runs.

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "support/rod_scene.hpp"

namespace torsor::test {

namespace fs = std::filesystem;
inline const std::string no_code =
    "is machine code, which can do anything that you can do; if you trust it, give "
    "--allow-plugins, or answer the question in a terminal or in the window, or allow it "
    "permanently: torsor trust PATH";
inline const std::string outside =
    "is outside the folder of this file and outside scripts/; if you trust it, give "
    "--allow-plugins";
inline const std::string end_of_scene =
    "return world:experiment{ integrator = { \"rk4\", dt = 1e-2 }, duration = 0.02, record = { "
    "\"arm.q\" } }";
inline const std::string move_along = "arm:trajectory('playback', { path = '";

inline const std::string bring = "torsor.plugins{ 'marking.so' }";

// Fixture with a folder `own`, which contains the scenes, and a folder `others` next to it. Both
// contain the plugin marking.so, which makes the file `mark` when it is loaded.
class Trust : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    setenv("TORSOR_TEST_MARK", (folder_ / "mark").c_str(), 1);
    for (const char* name : {"own", "others"}) {
      fs::create_directories(folder_ / name);
      fs::copy_file(std::string(TEST_PLUGINS) + "marking.so", folder_ / name / "marking.so");
      file(std::string(name) + "/arm.urdf", R"(<robot name="u"><link name="base"/></robot>)");
      file(std::string(name) + "/path.csv", "0,0\n1,1\n");
      file(std::string(name) + "/law.lua",
           "local torsor = require 'torsor'\ntorsor.force('f', {\n"
           "evaluate = function() return {} end })\nreturn {}");
    }
    fs::create_symlink("../others", folder_ / "own/linked");
    for (const char* name : {"marking.so", "path.csv", "arm.urdf", "law.lua"})
      fs::create_symlink(std::string("../others/") + name,
                         folder_ / "own" / (std::string("link_") + name));
  }
  void TearDown() override {
    unsetenv("TORSOR_TEST_MARK");
    Program::TearDown();
  }

  // Writes a scene with one hinge. `statements` run first, `after` when the robot and the world
  // exist. Returns the path of the scene.
  std::string scene(const std::string& statements, const std::string& after = "") {
    return file("own/s.lua", "local torsor = require 'torsor' " + statements + rod_in_world +
                                 after + "\n" + end_of_scene);
  }
  // Returns whether the code of the plugin has run since the last call.
  bool code_ran() { return fs::remove(folder_ / "mark"); }

  Output run_scene(const std::string& statements, const std::string& after = "",
                   std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"run", scene(statements, after)});
    return torsor(options);
  }
  // Checks that a scene is rejected with this message, and that no code of the plugin ran.
  void expect_rejected(const std::string& statements, const std::string& message,
                       const std::string& after = "") {
    const Output out = run_scene(statements, after);
    EXPECT_EQ(out.exit_code, 2) << statements << after << out.out;
    EXPECT_THAT(out.err, testing::HasSubstr(message)) << statements << after;
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1) << out.err;
    EXPECT_FALSE(code_ran()) << statements;
  }
  void expect_runs(const std::string& statements, const std::string& after = "",
                   const std::vector<std::string>& options = {}) {
    const Output out = run_scene(statements, after, options);
    EXPECT_EQ(out.exit_code, 0) << statements << after << out.err;
  }
  // Checks that plugins run if the user names them by --plugins or TORSOR_PLUGIN_PATH.
  void expect_named_plugins_run() {
    expect_runs("", "", {"--plugins", "own/marking.so"});
    EXPECT_TRUE(code_ran());
    setenv("TORSOR_PLUGIN_PATH", (folder_ / "others").c_str(), 1);
    expect_runs("");
    unsetenv("TORSOR_PLUGIN_PATH");
    EXPECT_TRUE(code_ran());
  }
  TerminalOutput ask(const std::string& answer, const std::string& statements = bring) {
    return run_at_terminal({"run", scene(statements)}, folder_, "[N] no: ", answer);
  }
  fs::path list() const { return folder_ / "config/torsor/trust.json"; }
};

}  // namespace torsor::test
