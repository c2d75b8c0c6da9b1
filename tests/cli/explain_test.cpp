// torsor explain: the recursion of a solver as a page, as JSON and as LaTeX, and what may be asked wrongly.

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
                  scene = source("scenes/double_pendulum.lua"),
                  states = R"({"states": [{"q": [0.3, -1.1], "v": [0.7, -0.4], "vdot": [1.5, 2.5]}]})";

using Explain = Program;

TEST_F(Explain, EndsInTheTorquesThatEvalGives) {
  const Json told = Json::parse(torsor({"explain", arm, "--states", "-", "--format", "json"}, states).out);
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
  EXPECT_THAT(
      page,
      AllOf(HasSubstr("inverse dynamics of " + arm + " at rest in its zero position, by solver.newton_euler"),
            HasSubstr("Pass 2 of 2, from the tips to the world: wrenches, torques"),
            HasSubstr("f_i = F_i + sum_c Ad(X_c^-1)^T f_c"), HasSubstr("[KHALIL 7.58-7.60, MR 9.56]")));
  const std::string whole =
      torsor({"explain", scene, "--time", "0.1", "--solver", "articulated_body", "--body", "first.rod1"}).out;
  EXPECT_THAT(whole, AllOf(HasSubstr("at 0.1 s"), HasSubstr("Pa_c"), HasSubstr("kg m^2, kg m, kg")));
  EXPECT_THAT(whole, testing::Not(HasSubstr("\n  first.rod2, carried by")));
  EXPECT_THAT(torsor({"explain", scene}).out, HasSubstr("at 0 s"));
  EXPECT_THAT(torsor({"explain", arm, "--format", "latex"}).out,
              HasSubstr("\\[ \\tau_k = S_k^T f_i + J_k \\dot v_k \\]"));
}

TEST_F(Explain, WhatIsAskedWronglyIsSaidInOneLine) {
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {{{arm, "--time", "1"}, "--time is of a scene"},
               {{scene, "--states", "-"}, "--states is of a robot"},
               {{scene, "--time", "1e6"}, "the scene runs from 0 to"},
               {{arm, "--body", "rod7"}, "--body: there is no link 'rod7'; did you mean"},
               {{arm, "--solver", "lie_group"}, "solver 'solver.lie_group' does not explain itself"},
               {{arm, "--format", "xml"}, "--format"}};
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

}  // namespace
}  // namespace torsor::test
