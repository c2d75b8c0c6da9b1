// Tests of Lua plugins on the command line. They are listed, compared, run and found in folders
// like compiled plugins.

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LuaPlugin : public Program {
 protected:
  const std::string lua_ = source("scripts/plugins/newton_euler_lua.lua").string();
  const std::string scene_ = source("scenes/planar_n_link.lua").string();
};

TEST_F(LuaPlugin, IsListedComparedAndRuns) {
  const auto listed = nlohmann::json::parse(torsor({"plugins", "--json", "--plugins", lua_}).out);
  const auto found =
      std::find_if(listed["plugins"].begin(), listed["plugins"].end(),
                   [](const auto& row) { return row["id"] == "solver.newton_euler_lua"; });
  ASSERT_NE(found, listed["plugins"].end());
  EXPECT_EQ((*found)["offered"], nlohmann::json({"inverse_dynamics"}));
  EXPECT_EQ((*found)["file"], lua_);
  const Output compare = torsor(
      {"compare", source("scripts/robots/rx90.lua").string(), "--plugins", lua_, "--samples", "4"});
  EXPECT_EQ(compare.exit_code, 0) << compare.err;
  EXPECT_THAT(compare.out, HasSubstr("newton_euler_lua"));
  const Output run = torsor(
      {"run", scene_, "--plugins", lua_, "--solver", "newton_euler_lua", "--duration", "0.02"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("solver       solver.newton_euler_lua 1.0"));
  const Output eval = torsor({"eval", source("scripts/robots/iiwa.lua").string(), "--states", "-",
                              "--plugins", lua_, "--solver", "newton_euler_lua"},
                             R"({"states": [{}]})");
  EXPECT_EQ(eval.exit_code, 0) << eval.err;
}

TEST_F(LuaPlugin, ThatIsBrokenEndsWithOneLine) {
  const std::string broken = file("plugins/broken.lua", "return nil + 1");
  const Output run = torsor({"run", scene_, "--plugins", "plugins"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err,
            "torsor: plugin file 'plugins/broken.lua' cannot be used: plugins/broken.lua:1: "
            "attempt to perform arithmetic on a nil value\n");
  EXPECT_THAT(torsor({"plugins", "--plugins", "plugins"}).out,
              HasSubstr("plugins/broken.lua cannot be used: "));
  const std::string wrong = file("wrong.lua", R"(local torsor = require "torsor"
torsor.solver("wrong", { inverse = function(model, state, vdot)
  if state.t > 0.005 then return vdot.x.y end
  return { 1, 1, 1, 1, vdot[5] }
end, forward = function(model, state, tau)
  if state.t > 0.005 then return tau.x.y end
  return tau
end }))");
  const Output fails = torsor({"run", scene_, "--plugins", "wrong.lua", "--solver", "wrong"});
  EXPECT_EQ(fails.exit_code, 2);
  EXPECT_THAT(fails.err,
              AllOf(HasSubstr("at t = 0.005 s (step 5): solver 'solver.wrong' failed in forward: "
                              "wrong.lua:6: attempt to index a nil value (field 'x') (in forward)"),
                    HasSubstr("the recording up to there is in")));
}

TEST_F(LuaPlugin, OfASceneIsThereWhereverTheSceneIs) {
  const std::string mine = file("mine.lua", R"(local torsor = require "torsor"
local p = torsor.params{ mass = 1.5 }
torsor.plugins{ ")" + lua_ + R"(" }
torsor.solver("flat", { summary = "of this scene", inverse = function(model, state, vdot)
  return { vdot[1] + state.A_W[5] * math.cos(state.q[1]) }
end })
local arm = require("robots.planar").build{ n = 1, lengths = 1, masses = p.mass }
arm:control("pid", { kp = 5, kd = 1, reference = { q = {0.3} } })
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)
return world:experiment{ solver = "flat", integrator = { "rk4", dt = 1e-2 }, duration = 0.1, record = { "planar.q" } })");
  const Output run = torsor({"run", mine});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("solver       solver.flat 1.0"));
  EXPECT_EQ(torsor({"run", mine, "--solver", "newton_euler_lua"}).exit_code, 0);
  // The solver is exact for a mass of 1 kg only.
  const Output wrong =
      torsor({"compare", mine, "--solver", "flat", "--solver", "newton_euler", "--samples", "3"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("flat and newton_euler disagrees by"));
  const Output right = torsor({"compare", mine, "--set", "mass=1", "--solver", "flat", "--solver",
                               "newton_euler", "--samples", "3"});
  EXPECT_EQ(right.exit_code, 0) << right.err;
  const Output study = torsor({"study", mine, "--grid", "mass=1,2"});
  EXPECT_EQ(study.exit_code, 0) << study.err;
  EXPECT_EQ(torsor({"lint", mine}).exit_code, 0);
}

// Checks the 2R arm of MR 9.1. The corrected solver passes torsor validate, and each misprint of
// the book fails one of its checks.
TEST_F(LuaPlugin, IsValidatedLikeACompiledPlugin) {
  const std::string robot = source("scripts/robots/planar.lua").string();
  const auto validate = [&](const std::string& name, const char* check) {
    return torsor({"validate", name, robot, "--only", check});
  };
  std::ifstream in(source("scenes/hand_written_2r.lua"));
  const std::string right((std::istreambuf_iterator<char>(in)), {});
  const struct {
    const char *check, *mended, *printed;
  } slips[] = {{"symmetric positive M", "+ m2 * (L1 * L2 * cos(theta2) + L2^2) * ddtheta2",
                "+ m2 * (L1 * L2 * cos(theta1) + L2^2) * ddtheta2"},
               {"velocity terms", "+ m2 * L1 * L2 * dtheta1^2 * sin(theta2)",
                "- m2 * L1 * L2 * dtheta1 * dtheta2 * sin(theta2)"},
               {"gravity is a gradient", "             + m2 * L2 * g_cos(theta1 + theta2)\n  if",
                "             - m2 * L2 * g_cos(theta1 + theta2)\n  if"}};
  file("right.lua", right);
  for (const auto& [check, mended, printed] : slips) {
    EXPECT_EQ(validate("right.lua", check).exit_code, 0) << check;
    std::string text = right;
    const size_t at = text.find(mended);
    ASSERT_NE(at, text.npos) << mended;
    file("printed.lua", text.replace(at, std::string(mended).size(), printed));
    const Output found = validate("printed.lua", check);
    EXPECT_EQ(found.exit_code, 1) << check << found.out;
    EXPECT_THAT(found.out, HasSubstr(check));
  }
  const Output moving = validate("right.lua", "moving base");
  EXPECT_EQ(moving.exit_code, 0) << moving.out;
  EXPECT_THAT(moving.out, HasSubstr("the base must not rotate or move"));
}

}  // namespace
}  // namespace torsor::test
