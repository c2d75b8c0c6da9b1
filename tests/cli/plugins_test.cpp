// Tests of the command torsor plugins, and of invalid command lines.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "torsor/handles/quantity.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

using Plugins = Program;

std::string abi() {
  return std::to_string(TORSOR_ABI_MAJOR) + "." + std::to_string(TORSOR_ABI_MINOR);
}

std::string plugin(const std::string& name) {
  return TEST_PLUGINS + name + ".so";
}

TEST_F(Plugins, JsonListsOfferedDerivedAndSkipped) {
  const Output output = torsor(
      {"plugins", "--json", "--plugins", plugin("pendulum"), "--plugins", plugin("wrong_major")});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const Json listed = Json::parse(output.out);
  const auto found = std::find_if(listed["plugins"].begin(), listed["plugins"].end(),
                                  [](const Json& row) { return row["id"] == "solver.pendulum"; });
  ASSERT_NE(found, listed["plugins"].end());
  EXPECT_EQ((*found)["offered"], Json({"inverse_dynamics", "mass_matrix"}));
  Json derived = Json::array();
  for (const QuantityRow& row : quantities)
    if (row.quantity != Quantity::inverse && row.quantity != Quantity::mass_matrix)
      derived.push_back(row.name);
  EXPECT_EQ((*found)["derived"], derived);
  EXPECT_EQ((*found)["abi"], abi());
  EXPECT_EQ((*found)["file"], plugin("pendulum"));
  ASSERT_EQ(listed["skipped"].size(), 1u);
  EXPECT_EQ(listed["skipped"][0]["file"], plugin("wrong_major"));
  EXPECT_THAT(listed["skipped"][0]["reason"].get<std::string>(), HasSubstr("ABI 2"));
  EXPECT_EQ(listed["paths"][0], plugin("pendulum"));
}

TEST_F(Plugins, ASolverOfAFamilyIsAskedAboutOneOfIt) {
  const Json listed = Json::parse(torsor({"plugins", "--json"}).out);
  const auto found =
      std::find_if(listed["plugins"].begin(), listed["plugins"].end(),
                   [](const Json& row) { return row["id"] == "solver.planar_lagrange"; });
  ASSERT_NE(found, listed["plugins"].end());
  EXPECT_EQ((*found)["family"], "planar_n_link");
  EXPECT_EQ((*found)["offered"],
            Json({"inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix",
                  "coriolis_matrix", "gravity", "bias", "partials", "trace"}));
  EXPECT_FALSE(found->contains("trouble"));
}

TEST_F(Plugins, TheTableNamesEveryFileAndReason) {
  const Output output = torsor({"plugins", "--plugins", plugin("pendulum"), "--plugins",
                                plugin("create_fails"), "--plugins", plugin("no_id")});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out,
              AllOf(HasSubstr("solver.newton_euler"), HasSubstr("solver.articulated_body"),
                    HasSubstr("offered    inverse_dynamics, mass_matrix\n"),
                    HasSubstr(plugin("create_fails") + " has a plugin 'solver.pendulum'"),
                    HasSubstr(plugin("no_id") + " cannot be used: a plugin has no id"),
                    HasSubstr("searched\n")));
  const Output broken = torsor({"plugins", "--plugins", plugin("create_fails")});
  EXPECT_EQ(broken.exit_code, 0) << broken.err;
  EXPECT_THAT(broken.out, HasSubstr("could not be created: no licence"));
}

TEST_F(Plugins, TheDoctorNamesEveryPlaceAndFileAndWhatToDo) {
  std::filesystem::create_directories(folder_ / "data/torsor/plugins");
  const auto own = folder_ / "data/torsor/plugins/mine.so";
  std::filesystem::copy_file(plugin("noted"), own);
  const Output output =
      torsor({"plugins", "doctor", "--plugins", plugin("pendulum"), "--plugins", plugin("eager")});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err, HasSubstr("1 plugin file cannot be used"));
  EXPECT_THAT(
      output.out,
      AllOf(HasSubstr("--plugins: " + plugin("pendulum") +
                      "\n  pendulum.so\n    used      solver.pendulum 1.0 (ABI " + abi() + ")"),
            HasSubstr("rejected  it was built for plugin ABI 2, and this engine has " + abi() +
                      ": rebuild it"),
            HasSubstr("TORSOR_PLUGIN_PATH is not set"),
            HasSubstr("mine.so\n    unused    it has a plugin 'solver.pendulum', which " +
                      plugin("pendulum") + " already provides"),
            HasSubstr("built-in plugins: "), HasSubstr("    used      solver.newton_euler")));
  const Json listed = Json::parse(torsor({"plugins", "doctor", "--json"}).out);
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed[1]["origin"], "your own plugins");
  EXPECT_EQ(listed[1]["files"][0]["used"][0], "solver.pendulum 1.0 (ABI " + abi() + ")");
}

TEST_F(Plugins, AFileThatBreaksDownAsItIsLoadedIsNamed) {
  const Output listed = torsor({"plugins", "--plugins", plugin("aborting")});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out,
              AllOf(HasSubstr("solver.newton_euler"),
                    HasSubstr(plugin("aborting") +
                              " cannot be loaded: it crashed (aborted) while it was loaded")));
  const Output output =
      torsor({"plugins", "doctor", "--plugins", plugin("aborting"), "--plugins", "nowhere.so"});
  EXPECT_EQ(output.exit_code, 2) << "as without doctor";
  EXPECT_THAT(output.err, HasSubstr("plugin path 'nowhere.so' (--plugins) does not exist"));
  EXPECT_THAT(output.out, AllOf(HasSubstr("rejected  it cannot be loaded: it crashed (aborted)"),
                                HasSubstr("--plugins: nowhere.so does not exist"),
                                HasSubstr("used      solver.newton_euler")));
}

TEST_F(Plugins, WhatIsInTheUsersOwnFolderIsFoundAndWhatIsBrokenThereIsSaid) {
  std::filesystem::create_directories(folder_ / "data/torsor/plugins");
  std::filesystem::copy_file(plugin("noted"), folder_ / "data/torsor/plugins/mine.so");
  file("data/torsor/plugins/broken.so", "no library");
  const Output output =
      torsor({"trajectory", "linear", source("scripts/robots/scara.lua").string(), "--parameter",
              "from=0,0,0,0", "--parameter", "to=1,1,0.1,1", "--parameter", "duration=1"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("broken.so' is not a shared library"));
  EXPECT_THAT(torsor({"plugins"}).out, HasSubstr("data/torsor/plugins/mine.so"));
}

TEST_F(Plugins, AreFilteredByKindAndNameAndShowTheirParameters) {
  const auto ids = [&](const std::vector<std::string>& filters) {
    std::vector<std::string> line{"plugins", "--json"}, out;
    line.insert(line.end(), filters.begin(), filters.end());
    const Json listed = Json::parse(torsor(line).out);
    for (const Json& plugin : listed["plugins"]) out.push_back(plugin["id"]);
    return out;
  };
  const std::vector<std::string> solvers = ids({"solver"});
  EXPECT_GE(solvers.size(), 5u);
  for (const std::string& id : solvers) EXPECT_TRUE(id.starts_with("solver.")) << id;
  EXPECT_EQ(ids({"pid"}), (std::vector<std::string>{"controller.pid"}));
  EXPECT_EQ(ids({"controller.pid", "newton_euler"}),
            (std::vector<std::string>{"controller.pid", "solver.newton_euler"}));
  std::vector<std::string> either = solvers;
  either.push_back("controller.pid");
  EXPECT_THAT(ids({"solver", "pid"}), testing::UnorderedElementsAreArray(either))
      << "a plugin of any filter";
  EXPECT_THAT(torsor({"plugins", "--help"}).out,
              HasSubstr("several filters list every plugin that at least one of them"));
  const Output pid = torsor({"plugins", "pid"});
  EXPECT_THAT(pid.out, testing::ContainsRegex(
                           "kp \\[N m/rad\\] +[^\n]+\n +a list of numbers of at least 0 N m/rad; "
                           "optional\n"));
  EXPECT_THAT(pid.out, testing::ContainsRegex("a number of at least 0 rad/s; default: 0\n"));
  EXPECT_THAT(pid.out, testing::Not(HasSubstr("searched")));
  EXPECT_THAT(torsor({"plugins", "cubic"}).out,
              HasSubstr("a position q of the joints; required\n"));
  const Output wrong = torsor({"plugins", "sover"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(
      wrong.err,
      AllOf(HasSubstr("no plugin is of kind 'sover' or has 'sover' in its id; the kinds are "),
            HasSubstr("lists all; did you mean 'solver'?")));
  EXPECT_THAT(torsor({"plugins", "docter"}).err, HasSubstr("; did you mean 'doctor'?"));
}

TEST_F(Plugins, AMisspeltCommandLineGetsTheNearestAndExitCodeTwo) {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{},
       "torsor: no command is given; the commands are run, study, tune, lua, edit, view, eval, "
       "linearise, "
       "explain, ik, compare, excite, identify, gains, bench, convert, plot, lint, inertia, "
       "inspect, trajectory, "
       "generate, import, export, info, plugins, validate, new, trust, fmu (see 'torsor "
       "--help')\n"},
      {{"plugin"},
       "torsor: there is no command 'plugin'; did you mean 'plugins'? (see 'torsor --help')\n"},
      {{"plugin", "--help"},
       "torsor: there is no command 'plugin'; did you mean 'plugins'? (see 'torsor --help')\n"},
      {{"--help", "zzz"}, "torsor: there is no command 'zzz' (see 'torsor --help')\n"},
      {{"plugins", "--jsn"},
       "torsor: there is no option '--jsn'; did you mean '--json'? (see 'torsor plugins "
       "--help')\n"},
      {{"--versoin"},
       "torsor: there is no option '--versoin'; did you mean '--version'? (see 'torsor --help')\n"},
  };
  for (const auto& c : cases) {
    const Output output = torsor(c.arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_EQ(output.err, c.message);
    EXPECT_EQ(output.out, "");
  }
}

}  // namespace
}  // namespace torsor::test
