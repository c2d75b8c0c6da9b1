// Tests of torsor explain: the recursion of a solver as text, as JSON and as LaTeX, and rejected
// arguments.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

const std::string arm = source("scripts/robots/double_pendulum.lua"),
                  pendulum_scene = source("scenes/double_pendulum.lua"),
                  states =
                      R"({"states": [{"q": [0.3, -1.1], "v": [0.7, -0.4], "vdot": [1.5, 2.5]}]})";

using Explain = Program;

TEST_F(Explain, EndsInTheTorquesThatEvalGives) {
  const Json told = Json::parse(torsor({"explain", arm, "--states", "-", "--json"}, states).out);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0]["dynamics"], "inverse");
  const Json tau =
      Json::parse(torsor({"eval", arm, "--states", "-", "--quantity", "inverse_dynamics"}, states)
                      .out)["results"][0]["inverse_dynamics"];
  size_t found = 0;
  for (const Json& step : told[0]["passes"][1]["steps"]) {
    if (step["symbol"] != "tau") continue;
    const size_t column = step["joint"] == "joint1" ? 0 : 1;
    EXPECT_NEAR(step["outputs"][0]["value"][0].get<double>(), tau[column].get<double>(), 1e-13);
    EXPECT_EQ(step["outputs"][0]["unit"], "N m");
    ++found;
  }
  EXPECT_EQ(found, 2u);
}

TEST_F(Explain, IsAPageForPeopleAndOneForLatex) {
  const std::string page = torsor({"explain", arm}).out;
  EXPECT_THAT(page, AllOf(HasSubstr("inverse dynamics of " + arm +
                                    " at rest in the zero position, by solver.newton_euler"),
                          HasSubstr("Pass 2 of 2, from the tips to the world: wrenches, torques"),
                          HasSubstr("f_i = F_i + sum_c Ad(X_c^-1)^T f_c"),
                          HasSubstr("[KHALIL 7.58-7.60, MR 9.56]")));
  const std::string whole = torsor({"explain", pendulum_scene, "--time", "0.1", "--solver",
                                    "articulated_body", "--body", "first.rod1"})
                                .out;
  EXPECT_THAT(whole,
              AllOf(HasSubstr("at 0.1 s"), HasSubstr("Pa_c"), HasSubstr("kg m^2, kg m, kg")));
  EXPECT_THAT(whole, testing::Not(HasSubstr("\n  first.rod2, carried by")));
  EXPECT_THAT(torsor({"explain", pendulum_scene}).out, HasSubstr("at 0 s"));
  EXPECT_THAT(torsor({"explain", arm, "--latex"}).out,
              HasSubstr("\\[ \\tau_k = S_k^T f_i + J_k \\dot v_k \\]"));
}

// Checks the torques at the end of the trace of every solver, and the sources of the equations.
TEST_F(Explain, CoversEverySolver) {
  const std::string arm = source("scripts/robots/planar.lua").string();
  const std::string states = R"({"gravity": [0, -9.81, 0], "states": [{"q": [0.3, -1.1],
      "v": [0.9, -2], "vdot": [1.2, 3]}]})";
  const Json tau =
      Json::parse(torsor({"eval", arm, "--states", "-", "--quantity", "inverse_dynamics"}, states)
                      .out)["results"][0]["inverse_dynamics"];
  for (const auto& [solver, source] : {std::pair{"lie_group", "MR 9.82, MK 27"},
                                       {"lagrange_christoffel", "JIN 46"},
                                       {"planar_lagrange", "RCFS 109"}}) {
    const Output json =
        torsor({"explain", arm, "--states", "-", "--solver", solver, "--json"}, states);
    ASSERT_EQ(json.exit_code, 0) << json.err;
    for (const Json& step : Json::parse(json.out)[0]["passes"].back()["steps"]) {
      if (step["symbol"] != "tau") continue;
      EXPECT_NEAR(step["outputs"][0]["value"][0].get<double>(),
                  tau[step["joint"] == "joint1" ? 0 : 1].get<double>(), 1e-12)
          << solver;
    }
    const std::string text =
        torsor({"explain", arm, "--states", "-", "--solver", solver}, states).out;
    EXPECT_THAT(text, HasSubstr("[" + std::string(source) + "]")) << solver;
    const Output latex = torsor({"explain", arm, "--solver", solver, "--latex"});
    EXPECT_EQ(latex.exit_code, 0);
    EXPECT_THAT(latex.out, HasSubstr("\\mathrm{kg\\ m^2}"));
  }
}

TEST_F(Explain, ErrorsAreReportedInOneLine) {
  const std::string silent = file("silent.lua", R"(require("torsor").solver("silent", {
  inverse = function(model, state, vdot) return vdot end }))");
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{arm, "--time", "1"}, "--time applies to scenes"},
      {{pendulum_scene, "--states", "-"}, "--states applies to robots"},
      {{pendulum_scene, "--time", "1e6"}, "the run of the scene is from 0 to"},
      {{arm, "--body", "rod7"}, "--body: there is no link 'rod7'; did you mean"},
      {{arm, "--plugins", silent, "--solver", "silent"}, "solver 'solver.silent' has no trace"},
      {{arm, "--json", "--latex"}, "--latex and --json cannot be combined"}};
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> all{"explain"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Output output = torsor(all);
    EXPECT_EQ(output.exit_code, 2) << message;
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

// A robot with a fixed link, a joint of two dof, and names with characters that are special in
// LaTeX.
constexpr const char* odd_robot = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
local inertia = { mass = 1, com = {0, 0, 0.1}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }
arm:link{ name = "a^~_\\b", joint = { "cylindrical", name = "slide", axis = {0, 0, 1} }, inertia = inertia }
arm:link{ name = "tool", parent = "a^~_\\b", joint = { "fixed", name = "weld" }, inertia = inertia }
return arm
)";

TEST_F(Explain, ShowsEachDofAndFixedLinks) {
  const std::string odd = this->file("odd.lua", odd_robot);
  const std::string latex = torsor({"explain", odd, "--latex"}).out;
  EXPECT_THAT(
      latex, HasSubstr("\\paragraph{a\\textasciicircum{}\\textasciitilde{}\\_\\textbackslash{}b}"));
  EXPECT_THAT(latex, HasSubstr("\\ \\mathrm{N\\ m}\\quad \\text{(slide."))
      << "a column by its name";
  const Output welded = torsor({"explain", odd, "--body", "tool"});
  EXPECT_THAT(welded.err, HasSubstr("link 'tool' is part of the body of 'a^~_\\b'"));
  EXPECT_EQ(welded.exit_code, 0);
  EXPECT_THAT(torsor({"explain", arm, "--states", "-"}, R"({"states": []})").err,
              HasSubstr("has no states"));
  const std::string bare =
      this->file("bare.lua", R"(local arm = require "torsor".robot{ name = "arm" }
arm:link{ name = "a", joint = { "fixed", name = "weld" }, inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return arm
)");
  EXPECT_THAT(torsor({"explain", bare}).err, HasSubstr("no body moves"));
}

}  // namespace
}  // namespace torsor::test
