// Tests of output that cannot be written: every command reports the failure, and existing files
// stay undamaged.

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A scene with a cart that rolls at constant speed.
constexpr const char* rolling_cart = R"lua(
local torsor = require "torsor"
local p = torsor.params{ v = 1.0 }
local arm = torsor.robot{ name = "cart" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:set{ v = { rail = p.v } }
local world = torsor.world{}
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 1e-2 }, duration = 0.1, record = { "cart.q" } }
)lua";

class Outputs : public Program {
 protected:
  // Runs the program in a shell: `before`, then "torsor COMMAND" with these redirections.
  Output shell(const std::string& command, const std::string& redirections,
               const std::string& before = "") {
    return run("bash",
               {"-c", before + "exec \"$0\" " + command + " " + redirections, TORSOR_PROGRAM});
  }
  Output record() { return torsor({"run", file("cart.lua", rolling_cart)}); }
};

std::string quoted(const std::string& path) {
  return "'" + source(path).string() + "'";
}

// Returns all commands that print, with arguments for which they exit with status 0.
std::vector<std::string> printing_commands() {
  const std::string scara = quoted("scripts/robots/scara.lua");
  std::vector<std::string> out{"--help",
                               "--version",
                               "plugins",
                               "plugins --json",
                               "plugins doctor",
                               "plugins doctor --json",
                               "run cart.lua",
                               "study cart.lua --grid v=1,2 --replace",
                               "info recordings/cart.h5",
                               "convert recordings/cart.h5 copy.csv",
                               "plot recordings/cart.h5 --signals cart.q --out a.svg",
                               "eval " + scara + " --states states.json",
                               "compare " + scara + " --samples 2",
                               "inspect " + scara + " --samples 2",
                               "explain " + scara,
                               "lint " + quoted("scenes/urdf_arm.urdf"),
                               "new solver my_solver --folder project",
                               "trajectory trapeze " + scara +
                                   " --parameter from=0,0,0,0 --parameter to=1,2,0.1,1 --parameter "
                                   "speed=1 --parameter acceleration=3"};
  for (const char* command :
       {"run", "study", "eval", "explain", "ik", "compare", "identify", "convert", "plot", "lint",
        "inspect", "trajectory", "info", "plugins", "validate", "new"})
    out.push_back(std::string(command) + " --help");
  // The programs of these commands may not be built. They are in the folder of torsor.
  for (const char* command : {"edit", "view", "bench"}) {
    const std::string program = command == std::string("bench") ? "torsor_bench" : "torsor_editor";
    if (std::filesystem::exists(std::filesystem::path(TORSOR_PROGRAM).parent_path() / program))
      out.push_back(std::string(command) + " --help");
  }
  return out;
}

TEST_F(Outputs, EveryCommandReportsAFullStandardOutput) {
  file("states.json", R"({"states": [{}]})");
  ASSERT_EQ(record().exit_code, 0);
  for (const std::string& command : printing_commands()) {
    const Output good = shell(command, "");
    EXPECT_EQ(good.exit_code, 0) << command << ": " << good.err;
    EXPECT_NE(good.out, "") << command;
    std::filesystem::remove_all(folder_ / "project");
    const Output full = shell(command, "> /dev/full");
    EXPECT_EQ(full.exit_code, 2) << command;
    EXPECT_EQ(full.err,
              "torsor: standard output cannot be written: No space left on device; free space on "
              "its disk, or redirect the output to a file on another disk\n")
        << command;
    std::filesystem::remove_all(folder_ / "project");
  }
}

// Checks closed descriptors. A file that the program opens later would get the number of a closed
// one, and the output would go into this file.
TEST_F(Outputs, ClosedDescriptorsAreNotReused) {
  file("cart.lua", rolling_cart);
  ASSERT_EQ(shell("run cart.lua", "").exit_code, 0);
  const std::string recording = torsor({"info", "recordings/cart.h5"}).out;
  const Output closed = shell("run cart.lua", ">&-");
  EXPECT_EQ(closed.exit_code, 2);
  EXPECT_EQ(closed.err,
            "torsor: standard output cannot be written: Bad file descriptor; redirect the output "
            "to a file, or to /dev/null if it is not needed\n");
  EXPECT_EQ(torsor({"info", "recordings/cart.h5"}).out, recording);
  const Output usual = shell("plugins doctor", ""), silent = shell("plugins doctor", "2>&-");
  EXPECT_EQ(silent.exit_code, usual.exit_code);
  EXPECT_EQ(silent.out, usual.out) << "no plugin is rejected because of what it prints";
  EXPECT_EQ(shell("plugins doctor", "<&- 2>&-").out, usual.out);
}

TEST_F(Outputs, MessagesThatCannotBeWrittenAreIgnored) {
  file("cart.lua", rolling_cart);
  for (const char* redirection : {"2> /dev/full", "2>&-"}) {
    EXPECT_EQ(shell("run cart.lua", redirection).exit_code, 0) << redirection;
    const Output failed = shell("run nowhere.lua", redirection);
    EXPECT_EQ(failed.exit_code, 2) << redirection;
  }
}

TEST_F(Outputs, ATableThatDoesNotFitLeavesTheOldOne) {
  file("out.csv", "good");
  const Output full =
      shell("trajectory trapeze " + quoted("scripts/robots/scara.lua") +
                " --parameter from=0,0,0,0 --parameter to=1,2,0.1,1 --parameter speed=1 "
                "--parameter acceleration=3 --csv out.csv --samples 200000",
            "", limit_of_file_size());
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot write 'out.csv': File too large\n"));
  EXPECT_EQ(std::ranges::count(full.err, '\n'), 1);
  EXPECT_EQ(read("out.csv"), "good");
  EXPECT_TRUE(written().empty()) << "the .part file was removed";
}

TEST_F(Outputs, AConversionThatDoesNotFitLeavesTheOldOne) {
  ASSERT_EQ(record().exit_code, 0);
  ASSERT_EQ(shell("convert recordings/cart.h5 old.h5", "").exit_code, 0);
  ASSERT_EQ(shell("convert recordings/cart.h5 old.csv", "").exit_code, 0);
  const auto files = written();
  for (const std::string name : {"old.h5", "old.csv"}) {
    SCOPED_TRACE(name);
    const std::string before = read(name);
    file(name + ".part", "of a program that was killed");
    const Output full = shell("convert recordings/cart.h5 " + name, "", "ulimit -f 1; ");
    EXPECT_EQ(full.exit_code, 2);
    EXPECT_THAT(full.err,
                testing::MatchesRegex(
                    "torsor: cannot write 'old.*': File too large; free space on the disk, or "
                    "choose another folder; the older recording of this name is unchanged\n"));
    EXPECT_EQ(read(name), before);
    EXPECT_EQ(written(), files);
  }
}

class Pictures : public Outputs {
 protected:
  // Runs torsor plot with a shell script in place of gnuplot.
  Output plot(const std::string& script, const std::string& before = "") {
    file("bin/gnuplot", "#!/bin/bash\n" + script);
    std::filesystem::permissions(folder_ / "bin/gnuplot", std::filesystem::perms::owner_all);
    return shell("plot recordings/cart.h5 --signals cart.q --out a.svg", "",
                 before + "export PATH=\"$PWD/bin:/usr/bin:/bin\"; ");
  }
};

TEST_F(Pictures, APictureThatDoesNotFitLeavesTheOldOne) {
  ASSERT_EQ(record().exit_code, 0);
  file("a.svg", "good");
  const Output full = plot("head -c 40000000 /dev/zero; echo '</svg>'", limit_of_file_size());
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(full.out, "");
  EXPECT_EQ(full.err, "torsor: cannot write 'a.svg': File too large\n");
  EXPECT_EQ(read("a.svg"), "good");
  EXPECT_THAT(written(), ElementsAre("recordings/cart.h5"));
}

// Checks incomplete output of gnuplot, which ignores write errors and exits with status 0.
TEST_F(Pictures, AnIncompletePictureIsAFailure) {
  ASSERT_EQ(record().exit_code, 0);
  file("a.svg", "good");
  for (const char* script : {"true", "echo '<svg>'", "echo '</svg> <g>'"}) {
    const Output part = plot(script);
    EXPECT_EQ(part.exit_code, 2) << script;
    EXPECT_EQ(part.out, "") << script;
    EXPECT_THAT(part.err, HasSubstr("gnuplot failed: its picture for 'a.svg' is incomplete"))
        << script;
    EXPECT_EQ(read("a.svg"), "good") << script;
  }
  const Output whole = plot("echo '<svg></svg>'");
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(read("a.svg"), "<svg></svg>\n");
}

}  // namespace
}  // namespace torsor::test
