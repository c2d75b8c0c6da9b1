// Tests of torsor study show: the printed statistics, JSON, pictures, and rejected arguments.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The outcome x + 2 y of two uniform parameters has the variances 1/12 and 4/12, and no
// interaction. The outcome `same` is constant, and the run fails for x > 0.95 if `fragile`.
constexpr const char* sum_of_two = R"(
local torsor = require "torsor"
local p = torsor.params{ x = torsor.uniform(0, 1), y = torsor.uniform(0, 1), fragile = false }
local arm = torsor.robot{ name = "mass" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
local world = torsor.world{}
world:add(arm)
if p.fragile and p.x > 0.95 then error("x is too large") end
return world:experiment{ integrator = { "rk4", dt = 0.1 }, duration = 0.1, record = { "mass.q" },
  outcome = { function(run) return { sum = p.x + 2 * p.y, same = 7 } end, units = { sum = "m" } } }
)";

class StudyShow : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    scene_ = file("s.lua", sum_of_two);
  }
  void run_study(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"study", scene_, "--out", "study.h5", "--replace"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Output out = torsor(all);
    ASSERT_EQ(out.exit_code, 0) << out.err;
  }
  Output show(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"study", "show", "study.h5"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return torsor(all);
  }
  std::string scene_;
};

TEST_F(StudyShow, PrintsTheStatistics) {
  run_study({"--samples", "400", "--set", "fragile=true"});
  const Output out = show({});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_THAT(out.out, AllOf(HasSubstr("samples      400 of 400"), HasSubstr("failures     "),
                             HasSubstr("sum [m]"), HasSubstr("rank correlation"),
                             Not(HasSubstr("sensitivity"))));
  EXPECT_THAT(show({"--outcomes", "same"}).out, Not(HasSubstr("sum [m]")));
}

TEST_F(StudyShow, EstimatesSensitivities) {
  run_study({"--samples", "4096", "--design", "saltelli"});
  const auto json = nlohmann::json::parse(show({"--json"}).out);
  EXPECT_EQ(json["statuses"]["done"], 4096);
  EXPECT_EQ(json["failure_interval"][0], 0);
  const auto& outcomes = json["outcomes"];
  ASSERT_EQ(outcomes.size(), 2u);
  for (const auto& outcome : outcomes) {
    if (outcome["name"] == "same") {
      EXPECT_FALSE(outcome.contains("sensitivities"));
      continue;
    }
    EXPECT_EQ(outcome["unit"], "m");
    EXPECT_NEAR(outcome["mean"].get<double>(), 1.5, 0.01);
    EXPECT_NEAR(outcome["deviation"].get<double>(), std::sqrt(5.0 / 12), 0.01);
    const double part[] = {0.2, 0.8};
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(outcome["sensitivities"][i]["first"].get<double>(), part[i], 0.02);
      EXPECT_NEAR(outcome["sensitivities"][i]["total"].get<double>(), part[i], 0.02);
      EXPECT_EQ(outcome["sensitivities"][i]["pairs"], 1024);
    }
  }
}

TEST_F(StudyShow, DrawsEveryPicture) {
  run_study({"--samples", "100"});
  for (const std::string picture : {"histograms", "scatter", "bands"}) {
    const Output out = show({"--plot", picture + ".svg", "--picture", picture});
    EXPECT_EQ(out.exit_code, 0) << out.err;
    EXPECT_THAT(out.out, HasSubstr("picture      " + picture + ".svg"));
    EXPECT_GT(std::filesystem::file_size(folder_ / (picture + ".svg")), 2000u);
  }
  EXPECT_THAT(show({"--outcomes", "same", "--plot", "a.png"}).err,
              HasSubstr("there is nothing to draw: no outcome has two different finite values"));
}

TEST_F(StudyShow, RejectsBadArguments) {
  run_study({"--samples", "10"});
  EXPECT_THAT(show({"--outcomes", "sun"}).err,
              HasSubstr("--outcomes sun: the study has no outcome of this name; it has: same, sum; "
                        "did you mean 'sum'?"));
  EXPECT_THAT(show({"--plot", "a.gif"}).err, HasSubstr("a picture ends in .svg or .png"));
  EXPECT_THAT(show({"--picture", "pie"}).err, HasSubstr("histograms"));
  EXPECT_THAT(torsor({"study", "show", "none.h5"}).err, HasSubstr("there is no such file"));
  EXPECT_THAT(
      torsor({"study", scene_, "--samples", "10", "--design", "saltelli", "--out", "b.h5"}).err,
      HasSubstr("--samples 10: the design saltelli needs a multiple of 4"));
}

}  // namespace
}  // namespace torsor::test
