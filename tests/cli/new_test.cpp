// Tests of torsor new: the written files and the rejected arguments. The tests in tests/install
// build and run the created projects.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"
#include "torsor/plugin/plugin_kind.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class New : public Program {};

TEST_F(New, WritesAProjectWithTheGivenName) {
  const Output made = torsor({"new", "solver", "spin", "--language", "c"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(written(), (std::vector<std::string>{"spin/CMakeLists.txt", "spin/README.md",
                                                 "spin/spin.c", "spin/spin.lua"}));
  EXPECT_THAT(read("spin/spin.c"), HasSubstr(".id = \"solver.spin\""));
  for (const std::string& file : written()) {
    EXPECT_THAT(made.out, HasSubstr(file));
    EXPECT_THAT(read(file), Not(HasSubstr("@NAME@")));
  }
}

TEST_F(New, ASolverInLuaIsAcceptedAsItIs) {
  const Output made = torsor({"new", "solver", "spin", "--language", "lua"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(written(),
            (std::vector<std::string>{"spin/README.md", "spin/spin.lua", "spin/spin_scene.lua"}));
  EXPECT_THAT(made.out,
              AllOf(HasSubstr("cd 'spin' && torsor validate spin.lua"), Not(HasSubstr("cmake"))));
  for (const std::string& file : written()) EXPECT_THAT(read(file), Not(HasSubstr("@NAME@")));
  const Output valid = torsor({"validate", "spin/spin.lua"});
  EXPECT_EQ(valid.exit_code, 0) << valid.out << valid.err;
  const Output run = torsor({"run", "spin/spin_scene.lua", "--duration", "0.01"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("solver.spin"));
}

TEST_F(New, ItsCommandIsOneThatAShellTakes) {
  const Output made =
      torsor({"new", "solver", "spin", "--language", "c", "--folder", "it's $HOME"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const size_t first = made.out.find("    cd "), last = made.out.find(" && cmake -B");
  ASSERT_LT(first, last);
  const Output there = run("sh", {"-ec", made.out.substr(first, last - first) + " && ls spin.c"});
  EXPECT_EQ(there.out, "spin.c\n") << there.err;
}

TEST_F(New, RejectsInvalidArguments) {
  file("full/note", "of mine");
  std::vector<std::string> names = plugin_kind_names();
  std::ranges::sort(names);
  const std::string kinds =
      fmt::format("there is no kind of plugin 'solvr'; available: {}; did you mean 'solver'?",
                  fmt::join(names, ", "));
  const struct {
    std::vector<std::string> arguments;
    const char* reason;
  } cases[] = {
      {{"solvr", "spin"}, kinds.c_str()},
      {{"force", "spin", "--language", "c"},
       "there is no template of a force in 'c'; available: c++"},
      {{"solver", "Spin"}, "'Spin' cannot be the name of a plugin"},
      {{"solver", "9lives"}, "'9lives' cannot be the name of a plugin"},
      {{"solver", "../spin"}, "'../spin' cannot be the name of a plugin"},
      {{"solver", "install"}, "'install' is already a target of CMake"},
      {{"solver", "newton_euler"}, "a solver 'newton_euler' already exists, in "},
      {{"solver", "spin", "--folder", "full"}, "'full' exists and is not an empty folder"},
      {{"solver", "spin", "--folder", "full/note"},
       "'full/note' exists and is not an empty folder"},
      {{"solver", "spin", "--folder", "/proc/spin"}, "the folder '/proc/spin' cannot be created"},
  };
  for (const auto& [arguments, reason] : cases) {
    std::vector<std::string> line = {"new"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    const Output said = torsor(line);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.err, HasSubstr(reason));
    EXPECT_EQ(said.out, "");
  }
  EXPECT_TRUE(written().empty());
}

}  // namespace
}  // namespace torsor::test
