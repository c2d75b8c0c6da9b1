// Tests of untrusted files that try to run code or to read other files, in a scene and with every
// command.

#include <sys/stat.h>

#include "cli/trust_fixture.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Attempt {
  const char* name;
  std::string statements, message;
  std::string after = "";  // statements after the world and the robot `arm` are defined
};

const std::vector<Attempt> attempts = {
    {"beside the scene", "torsor.plugins{ 'marking.so' }", no_code},
    {"elsewhere", "torsor.plugins{ '../others/marking.so' }", no_code},
    {"by a link", "torsor.plugins{ 'link_marking.so' }", no_code},
    {"by a linked folder", "torsor.plugins{ 'linked/marking.so' }", no_code},
    {"through scripts", "torsor.plugins{ '../own/../others/./marking.so' }", no_code},
    {"the program itself", "torsor.plugins{ '/proc/self/exe' }", no_code},
    {"standard input", "torsor.plugins{ '/dev/stdin' }", no_code},
    {"a very long path", "torsor.plugins{ ('x/'):rep(3000) .. 'marking.so' }",
     "torsor.plugins: plugin file '"},
    {"a name without an extension", "torsor.plugins{ 'marking' }", no_code},
    {"a name in capitals", "torsor.plugins{ 'marking.SO' }", no_code},
    {"a script's name", "torsor.plugins{ 'renamed.lua' }", "cannot be used: "},
    {"a script's name after NUL", "torsor.plugins{ 'marking.so\\0.lua' }", "which has a zero byte"},
    {"a library's name after NUL", "torsor.plugins{ 'renamed.lua\\0.so' }",
     "which has a zero byte"},
    {"by a plugin in Lua", "torsor.plugins{ 'bringing.lua' }",
     "plugins are not available where this file is"},
    {"by a module", "require 'bringing_module'", no_code},
    {"by a file of others", "torsor.plugins{ 'law.lua', '../others/law.lua' }", outside},
    {"caught", "pcall(torsor.plugins, { 'marking.so' })", no_code},
    {"caught with a handler", "xpcall(torsor.plugins, function() end, { 'marking.so' })", no_code},
    {"in a coroutine", "coroutine.wrap(function() pcall(torsor.plugins, { 'marking.so' }) end)()",
     no_code},
    {"a trajectory", "", outside, move_along + "../others/path.csv' })"},
    {"a trajectory by a link", "", outside, move_along + "link_path.csv' })"},
    {"the environment", "", outside, move_along + "/proc/self/environ' })"},
    {"a device", "", outside, move_along + "/dev/zero' })"},
    {"no file", "", outside, move_along + "../others/none.csv' })"},
    {"a robot", "torsor.urdf('../others/arm.urdf')", outside},
    {"a robot by a link", "torsor.urdf('link_arm.urdf')", outside},
    {"a robot by an absolute path", "torsor.urdf('/etc/arm.urdf')", outside},
    {"a robot by a URL", "torsor.urdf('file:///etc/arm.urdf')", "there is no such file"},
    {"a module by a link", "require 'link_law'", outside},
    {"a module by a linked folder", "require 'linked.law'", outside},
    {"a module by ..", "require '../others/law'", "is not a module name"},
    {"a plugin in Lua by a link", "torsor.plugins{ 'link_law.lua' }", outside},
    {"data by a plugin in Lua", "torsor.plugins{ 'reading.lua' }",
     "is outside the folder of this file"},
    {"a pipe as a plugin", "torsor.plugins{ 'pipe.so' }", "is not a regular file"},
    {"a pipe as a module", "require 'pipe'", "pipe.lua: this is not a regular file"},
    {"a folder as a plugin", "torsor.plugins{ 'linked' }", no_code},
    {"in a control law", "", "works only while the script is loaded",
     "arm:control(function() torsor.plugins{ 'marking.so' } return {0} end)"},
    {"compiled Lua", "torsor.plugins{ 'compiled.lua' }", "is compiled Lua"},
    {"os", "os.execute('touch mark')", "'os' is not available to scripts"},
    {"io", "io.open('mark', 'w')", "'io' is not available to scripts"},
    {"package", "package.loadlib('marking.so', '*')", "'package' is not available to scripts"},
    {"load", "load('x')", "'load' is not available to scripts"},
};

class TrustAttempts : public Trust, public testing::WithParamInterface<size_t> {
 protected:
  void SetUp() override {
    Trust::SetUp();
    const std::string lua = "local torsor = require 'torsor'\n";
    for (const char* copy : {"marking", "marking.SO", "renamed.lua"})
      fs::copy_file(folder_ / "own/marking.so", folder_ / "own" / copy);
    file("own/bringing.lua", lua + bring);
    file("own/bringing_module.lua", lua + bring + "\nreturn {}");
    file("own/reading.lua", lua + "torsor.urdf('../others/arm.urdf')");
    file("own/compiled.lua", "\x1bLua\x54");
    mkfifo((folder_ / "own/pipe.so").c_str(), 0600);
    mkfifo((folder_ / "own/pipe.lua").c_str(), 0600);
  }
};

TEST_P(TrustAttempts, AreRefused) {
  const Attempt& attempt = attempts[GetParam()];
  SCOPED_TRACE(attempt.name);
  expect_rejected(attempt.statements, attempt.message, attempt.after);
}

INSTANTIATE_TEST_SUITE_P(OfAStranger, TrustAttempts, testing::Range(size_t(0), attempts.size()));

// Every command that reads a scene or a robot file. {scene} is replaced by a scene; {} is replaced
// by a scene, then by a robot file.
const std::vector<std::vector<std::string>> commands = {
    {"run", "{scene}"},
    {"study", "{scene}", "--grid", "a=1,2"},
    {"lint", "{}"},
    {"compare", "{}", "--samples", "1"},
    {"eval", "{}", "--states", "states.json"},
    {"inspect", "{}", "--samples", "1"},
    {"explain", "{}"},
    {"ik", "{}", "--frame", "rod", "--position", "0,0,0"},
    {"trajectory", "quintic", "{}"},
    {"validate", "own/law.lua", "{}"}};

class TrustCommands : public Trust, public testing::WithParamInterface<size_t> {};

TEST_P(TrustCommands, LoadNoMachineCode) {
  const std::vector<std::string>& command = commands[GetParam()];
  file("states.json", "[]");
  const std::string robot =
      file("own/r.lua", "local torsor = require 'torsor' " + bring + rod_in_world + "return arm");
  for (const bool of_scene : {true, false}) {
    const std::string place = of_scene || command[1] == "{scene}" ? "s.lua:1: " : "r.lua:1: ";
    std::vector<std::string> words;
    for (const std::string& word : command)
      words.push_back(word == "{scene}" || (word == "{}" && of_scene) ? scene(bring)
                      : word == "{}"                                  ? robot
                                                                      : word);
    const Output refused = torsor(words);
    EXPECT_EQ(refused.exit_code, 2) << refused.out;
    EXPECT_THAT(refused.err, AllOf(HasSubstr(place), HasSubstr(no_code)));
    EXPECT_FALSE(code_ran());
    words.emplace_back("--allow-plugins");
    EXPECT_THAT(torsor(words).err, Not(HasSubstr("machine code")));
    EXPECT_TRUE(code_ran());
  }
}

INSTANTIATE_TEST_SUITE_P(OfThePlace, TrustCommands, testing::Range(size_t(0), commands.size()));

}  // namespace
}  // namespace torsor::test
