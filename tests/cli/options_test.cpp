// Tests of the arguments and options of all commands. Each option means the same in all commands
// and is documented in docs/commands.md. Also tests the examples of the help pages, and errors on
// the command line.

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/help_page.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Returns the cells of a row of a Markdown table, without surrounding blanks. Replaces \| by |.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '\\' && k + 1 < line.size() && line[k + 1] == '|')
      cells.back() += line[++k];
    else if (line[k] == '|')
      cells.emplace_back();
    else
      cells.back() += line[k];
  }
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

// Returns the commands of each argument and option, from both tables in "Arguments and options" of
// docs/commands.md: "--states FILE" -> {"eval", "explain"}.
std::map<std::string, std::set<std::string>> documented() {
  std::map<std::string, std::set<std::string>> out;
  std::ifstream in(source("docs/commands.md"));
  bool here = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) here = line == "## Arguments and options";
    if (!here || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = cells_of(line);
    std::istringstream commands(cells[3]);
    std::set<std::string>& row = out[cells[1].substr(1, cells[1].size() - 2)];
    for (std::string command; std::getline(commands, command, ',');)
      row.insert(command.substr(command.find_first_not_of(' ')));
  }
  return out;
}

// Returns "ID" for "ID,..."; other values are unchanged.
std::string without_list(const std::string& value) {
  return value.ends_with(",...") ? value.substr(0, value.size() - 4) : value;
}

using Options = HelpPages;

TEST_F(Options, MatchTheTablesOfTheDocumentation) {
  const auto table = documented();
  ASSERT_GT(table.size(), 30u);
  std::map<std::string, std::set<std::string>> found;
  std::map<std::string, std::string> values;
  const auto all = pages();
  for (const auto& [command, page] : all) {
    for (const std::string& argument : page.arguments) found[argument].insert(command);
    for (const auto& [option, value] : page.options) {
      const auto [known, is_new] = values.emplace(option, without_list(value));
      EXPECT_EQ(known->second, without_list(value)) << option << " of " << command;
      std::string name = option + (value.empty() ? "" : " " + value);
      if (!table.contains(name)) name = option + " " + without_list(value);
      EXPECT_TRUE(table.contains(name))
          << name << " of " << command << " is not in docs/commands.md";
      found[name].insert(command);
    }
  }
  for (const auto& [name, commands] : table)
    for (const std::string& command : commands) {
      const bool separate = command == "edit" || command == "view" || command == "bench";
      EXPECT_TRUE(separate || all.contains(command)) << command;
      EXPECT_TRUE(!all.contains(command) || found[name].contains(command))
          << command << " has no " << name;
    }
  for (const auto& [name, commands] : found)
    for (const std::string& command : commands)
      EXPECT_TRUE(table.contains(name) && table.at(name).contains(command))
          << name << " of " << command << " is not in docs/commands.md";
}

// Checks that an option takes one value: the next word is the command's argument.
TEST_F(Options, TakeOneValueEach) {
  const std::map<std::string, std::string> values{{"X,Y,Z", "0,0,-9.8"},
                                                  {"ROLL,PITCH,YAW", "0,0,1"},
                                                  {"Q,...", "1,2"},
                                                  {"NAME,...", "a,b"},
                                                  {"ID,...", "a,b"},
                                                  {"NAME=VALUE", "a=1"},
                                                  {"NAME=VALUE,...", "a=1,2"},
                                                  {"PATH", "no.so"}};
  size_t tried = 0;
  for (const auto& [command, page] : pages()) {
    // These commands do not require an argument.
    if (page.arguments.empty() || command == "plugins" || command == "bench") continue;
    // These commands open a window.
    if (command == "edit" || command == "view") continue;
    for (const auto& [option, value] : page.options) {
      if (!values.contains(value)) continue;
      std::vector<std::string> line{command, option, values.at(value)};
      for (size_t k = 0; k < page.arguments.size(); ++k)
        line.push_back("argument" + std::to_string(k) + ".lua");
      const Output output = torsor(line);
      EXPECT_EQ(output.exit_code, 2) << command << " " << option;
      for (const std::string& argument : page.arguments)
        EXPECT_THAT(output.err, Not(HasSubstr("' needs " + argument))) << command << " " << option;
      ++tried;
    }
  }
  EXPECT_GT(tried, 25u);
  const std::string robot = source("scripts/robots/double_pendulum.lua").string();
  const Output eval = torsor(
      {"eval", "--gravity", "0,0,-9.8", "--quantity", "gravity,bias", robot, "--states", "-"},
      R"({"states": [{}]})");
  EXPECT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_THAT(eval.out, AllOf(HasSubstr("\"gravity\":"), HasSubstr("\"bias\":")));
}

TEST_F(Options, EmptyArgumentsAreRejected) {
  const std::string empty = "' is empty; give a value, or leave it out\n";
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"run", "a.lua", "--duration", ""}, "torsor: the argument after '--duration" + empty},
      {{"explain", "a.lua", "--time="},
       "torsor: the value of '--time' is empty; give one, or leave the option out\n"},
      {{"plugins", ""}, "torsor: the argument after 'plugins" + empty}};
  for (const auto& [arguments, message] : cases) {
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(output.err, message);
  }
}

TEST_F(Options, MistakesAreReportedInPlainWords) {
  const struct {
    std::vector<std::string> arguments;
    std::string message;
  } cases[] = {
      {{"run"},
       "'torsor run' needs SCENE: scene, a .lua file that returns an experiment (see 'torsor run "
       "--help')"},
      {{"info"},
       "'torsor info' needs RUN: recording, a .h5 or .csv file (see 'torsor info --help')"},
      {{"eval", "a.lua"}, "'torsor eval' needs --states FILE: JSON file of states"},
      {{"run", "a.lua", "b.lua"}, "'b.lua' is one argument too many (see 'torsor run --help')"},
      {{"run", "a.lua", "--duration"}, "--duration needs a value: --duration S: time to simulate"},
      {{"run", "a.lua", "--duration", "long"},
       "--duration: 'long' is not a number (see 'torsor run --help')"},
      {{"run", "a.lua", "--duration", "1", "--duration", "2"},
       "--duration is given 2 times; it takes one value"},
      {{"run", "a.lua", "--format", "h4"},
       "--format: 'h4' is not one of h5, csv; did you mean 'h5'?"},
      {{"run", "a.lua", "--watch=maybe"}, "--watch takes no value"},
      {{"run", "a.lua", "--foo"}, "there is no option '--foo'"},
      {{"compare", "a.lua", "--samples", "0"},
       "--samples: 0 is outside the range from 1 to 1000000"},
      {{"compare", "a.lua", "--samples", "2.5"}, "--samples: 2.5 is not a whole number"},
      {{"compare", "a.lua", "--seed", "-1"}, "--seed: -1 is outside the range from 0 to"},
      {{"validate", "a.so", "--time-limit", "nan"}, "--time-limit: 'nan' is not a number"},
      {{"validate", "a.so", "--json", "--json-lines"},
       "--json-lines and --json cannot be combined: use one of them"},
      {{"inspect", "a.lua", "--gravity", "0,0"},
       "--gravity 0,0: 2 numbers are given, 3 needed; write --gravity X,Y,Z"},
      {{"inspect", "a.lua", "--gravity", "0,0,down"},
       "--gravity 0,0,down: 'down' is not a finite number; write --gravity X,Y,Z"},
      {{"plugins", "doctor", "--jsn"},
       "there is no option '--jsn'; did you mean '--json'? (see 'torsor plugins doctor --help')"},
  };
  for (const auto& [arguments, message] : cases) {
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2) << message;
    EXPECT_THAT(output.err, testing::StartsWith("torsor: " + message));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

TEST_F(Options, HelpIsACommandToo) {
  const std::vector<std::string> commands[] = {{}, {"run"}, {"plugins"}, {"plugins", "doctor"}};
  for (std::vector<std::string> words : commands) {
    words.push_back("--help");
    const Output option = torsor(words);
    words.pop_back();
    words.insert(words.begin(), "help");
    const Output command = torsor(words);
    EXPECT_EQ(command.exit_code, 0) << command.err;
    EXPECT_THAT(command.out, testing::StartsWith("Usage: torsor"));
    EXPECT_EQ(command.out, option.out);
  }
  const Output unknown = torsor({"help", "rnu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no command 'rnu'; did you mean 'run'?"));
}

TEST_F(Options, CommandsNameTheKindOfFileThatTheyNeed) {
  const std::string robot = source("scripts/robots/scara.lua").string(),
                    scene = source("scenes/scara.lua").string();
  const std::string two = file("two.lua", R"(local torsor = require "torsor"
local world = torsor.world{}
local inertia = { mass = 1, com = {0, 0, 1}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }
for _, name in ipairs{ "left", "right" } do
  local arm = torsor.robot{ name = name }
  arm:link{ name = "rod", joint = { "revolute", name = "hinge", axis = {0, 1, 0} }, inertia = inertia }
  world:add(arm)
end
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 0.1, record = { "left.q" } })");
  for (const char* command : {"eval", "inspect"}) {
    std::vector<std::string> line{command, two};
    if (line[0] == "eval") line.insert(line.end(), {"--states", "-"});
    const Output output = torsor(line, R"({"states": []})");
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(
        output.err,
        HasSubstr("two.lua: this command needs one robot, and the scene has 2: left, right; give "
                  "the file of one robot, or use compare, explain, run or edit"));
  }
  // A scene with one robot is accepted; the gravity is that of the scene.
  const Output one =
      torsor({"eval", scene, "--states", "-", "--quantity", "gravity"}, R"({"states": [{}]})");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(torsor({"ik", scene, "--frame", "tool", "--position", "0.3,0.3,0.2"}).exit_code, 0);
  EXPECT_EQ(torsor({"inspect", scene, "--samples", "2"}).exit_code, 0);
  for (const char* command : {"run", "study"}) {
    EXPECT_THAT(
        torsor({command, robot}).err,
        HasSubstr(
            "scara.lua: this file returns a robot; a scene is needed, a .lua file that ends with "
            "'return world:experiment{...}'; torsor edit, eval, compare, inspect and lint take "
            "robots"));
    EXPECT_THAT(torsor({command, source("scenes/urdf_arm.urdf").string()}).err,
                HasSubstr("urdf_arm.urdf: this is a robot; a scene is needed"));
  }
}

// Runs each example of the help pages in a folder with the repository's scenes and scripts, and
// with the recordings that examples need.
class Examples : public HelpPages {
 protected:
  void SetUp() override {
    HelpPages::SetUp();
    std::filesystem::create_directories(folder_ / "bin");
    std::filesystem::create_symlink(TORSOR_PROGRAM, folder_ / "bin/torsor");
    for (const char* name : {"scenes", "scripts"})
      std::filesystem::create_directory_symlink(source(name), folder_ / name);
  }
  Output shell(const std::string& line) {
    return run("sh", {"-c", "PATH=\"$PWD/bin:$PATH\"; " + line});
  }
};

TEST_F(Examples, RunWithoutErrors) {
  ASSERT_EQ(shell("torsor run scenes/iiwa_free_swing.lua --duration 0.1").exit_code, 0);
  size_t count = 0;
  for (const auto& [command, page] : pages()) {
    if (command == "edit" || command == "view") continue;
    EXPECT_FALSE(page.examples.empty()) << command;
    for (const std::string& example : page.examples) {
      const Output output = shell(example);
      EXPECT_EQ(output.exit_code, 0) << example << "\n" << output.err;
      // bench also warns if the build is not a release build.
      if (command != "bench") {
        EXPECT_THAT(output.err, Not(HasSubstr("warning"))) << example;
      }
      ++count;
    }
  }
  EXPECT_GE(count, 16u);
}

}  // namespace
}  // namespace torsor::test
