// Tests of torsor sweep, and of the metrics of a run.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

// A scene with a mass of 1 kg. A controller pulls it to 1 m like a spring and a damper.
constexpr const char* cart = R"(
local torsor = require "torsor"
local p = torsor.params{ kp = 100.0, kd = 4.0, push = true, law = "spring" }
local arm = torsor.robot{ name = "cart" }
arm:link{ name = "body", joint = { "prismatic", name = "rail", axis = {1, 0, 0} },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
if p.law ~= "spring" then error("law is spring") end
arm:control(function(t, state, ref)
  return { p.kp * (ref.q[1] - state.q[1]) - p.kd * state.v[1] }
end, { reference = { q = {1} }, name = p.law })
local world = torsor.world{}
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 3, record = { "cart.q" }, record_interval = 0.1, EXTRA }
)";

std::string with(const std::string& extra) {
  std::string scene = cart;
  return scene.replace(scene.find(", EXTRA"), 7, extra.empty() ? "" : ", " + extra);
}

double overshoot(double kp, double kd) {
  const double xi = kd / 2 / std::sqrt(kp);
  return std::exp(-std::numbers::pi * xi / std::sqrt(1 - xi * xi));
}

class Sweep : public Program {};

TEST_F(Sweep, RunsEveryCombinationIntoOneTable) {
  std::vector<std::string> arguments{
      "sweep",     file("cart.lua", with("")), "--vary", "kp=100,25", "--vary", "kd=2,4", "--set",
      "push=false"};
  const Output table = torsor(arguments);
  EXPECT_THAT(table.out,
              testing::ContainsRegex(
                  "variant +control +rms error +peak error +settles at +overshoot +peak torque +"
                  "motor work +net work +saturated\n"
                  "kp=100 kd=2  cart.spring .*\nkp=100 kd=4 .*\nkp=25 kd=2 .*\nkp=25 kd=4 .*\n"));
  arguments.emplace_back("--json");
  const Output sweep = torsor(arguments);
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  EXPECT_EQ(sweep.err, "");
  EXPECT_THAT(written(),
              ElementsAre("recordings/cart-kp=100-kd=2.h5", "recordings/cart-kp=100-kd=4.h5",
                          "recordings/cart-kp=25-kd=2.h5", "recordings/cart-kp=25-kd=4.h5"));
  const Json json = Json::parse(sweep.out);
  ASSERT_EQ(json["variants"].size(), 4u);
  for (const Json& variant : json["variants"]) {
    const double kp = variant["parameters"]["kp"], kd = variant["parameters"]["kd"];
    const Json& row = variant["metrics"][0]["rows"][0];
    EXPECT_EQ(row["name"], "rail");
    EXPECT_NEAR(row["overshoot_of_travel"].get<double>(), overshoot(kp, kd), 1e-4);
    EXPECT_EQ(row["peak_torque"].get<double>(), kp);
    EXPECT_TRUE(variant["failure"].is_null());
  }
  EXPECT_EQ(json["variants"][1]["recording"], "recordings/cart-kp=100-kd=4.h5");
}

TEST_F(Sweep, AVariantThatFailsIsARow) {
  std::vector<std::string> arguments{
      "sweep", file("cart.lua", with("")), "--vary", "kp=-1e6,100", "--format", "csv"};
  const Output table = torsor(arguments);
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_EQ(table.err, "torsor: 1 of 2 variants failed; the table lists the reasons\n");
  EXPECT_THAT(table.out, testing::ContainsRegex(
                             "kp=-1e6 +failed: .*not a finite number.*\nkp=100 +cart.spring"));
  arguments.emplace_back("--json");
  const Output sweep = torsor(arguments);
  EXPECT_EQ(sweep.exit_code, 2);
  const Json json = Json::parse(sweep.out);
  EXPECT_THAT(json["variants"][0]["failure"].get<std::string>(), HasSubstr("not a finite number"));
  EXPECT_TRUE(json["variants"][0]["metrics"].is_null());
  EXPECT_EQ(Json::parse(read("recordings/cart-kp=-1e6.json"))["complete"], false);
  EXPECT_EQ(Json::parse(read("recordings/cart-kp=100.json"))["complete"], true);

  const Output unmade = torsor({"sweep", file("cart.lua", with("")), "--vary", "law=spring,a/b"});
  EXPECT_EQ(unmade.exit_code, 2);
  EXPECT_THAT(unmade.out,
              AllOf(HasSubstr("law=a/b"), testing::ContainsRegex("failed: .*cart.lua:7: "),
                    HasSubstr("law is spring"), HasSubstr("cart.spring")));
}

TEST_F(Sweep, ErrorsAreReportedBeforeTheFirstRun) {
  const std::string scene = file("cart.lua", with(""));
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{}, "no parameter varies: use --vary NAME=VALUE,VALUE"},
      {{"--vary", "kq=1,2"},
       "--vary kq: the scene has no parameter of this name; there are: kd, kp, law, push; did you "
       "mean 'kd'?"},
      {{"--vary", "kp"}, "it must be NAME=VALUE,VALUE"},
      {{"--vary", "kp=1,x"}, "'x' is not a number"},
      {{"--vary", "kp=1,inf"}, "'inf' is not a number"},
      {{"--vary", "kp=1,,2"}, "a value is empty"},
      {{"--vary", "kp="}, "a value is empty"},
      {{"--vary", "push=true,1"}, "'1' is not true or false"},
      {{"--vary", "kp=1,2,1"}, "1 is given twice"},
      {{"--vary", "kp=1,2", "--vary", "kp=3"}, "'kp' is varied twice"},
      {{"--vary", "kp=1,2", "--set", "kp=3"}, "'kp' is also given with --set"},
      {{"--vary", "law=a/b,a?b"}, "two variants would be recorded in 'recordings/cart-law=a_b.h5'"},
      {{"--vary", "kp=1,2", "--plot", "a.svg"}, "name the signals to draw"},
      {{"--vary", "kp=1,2", "--signals", "cart.q"}, "they are drawn with --plot FILE"},
      {{"--vary", "kp=1,2", "--plot", "a.pdf", "--signals", "cart.q"},
       "a picture ends in .svg or .png"},
      {{"--vary", "kp=1,2", "--solver", "nope"},
       "torsor: --solver nope: there is no solver 'nope' (found: "},
      {{"--vary", "kp=1,2", "--solver", "pid"},
       "--solver pid: 'pid' is a controller, not a solver (found: "},
      {{"--vary", "kp=1,2", "--integrator", "nope"},
       "torsor: --integrator nope: there is no such integrator"},
      {{"--vary", "kp=1,2", "--dt", "0"}, "torsor: --dt 0: "},
      {{"--vary", "kp=1,2", "--plot", "a.svg", "--signals", "nope.q"},
       "there is no signal 'nope.q'"},
  };
  file("no/such", "a file");
  for (const auto& [arguments, message] : wrong) {
    std::vector<std::string> all{"sweep", scene};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Output sweep = torsor(all);
    EXPECT_EQ(sweep.exit_code, 2) << message;
    EXPECT_THAT(sweep.err, HasSubstr(message));
    EXPECT_EQ(std::count(sweep.err.begin(), sweep.err.end(), '\n'), 1) << sweep.err;
    EXPECT_EQ(sweep.out, "");
    EXPECT_TRUE(written().empty()) << message;
  }
}

TEST_F(Sweep, ASceneDeclaresItsVariants) {
  const std::string scene = file("cart.lua", with("variants = { kp = {100, 25} }"));
  const Output run = torsor({"run", scene});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("kp=100   cart.spring"), HasSubstr("kp=25    cart.spring")));
  EXPECT_EQ(torsor({"sweep", scene}).out, run.out);
  const Output one = torsor({"run", scene, "--set", "kp=25"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("recordings/cart.h5"), Not(HasSubstr("variant"))));
  EXPECT_THAT(torsor({"sweep", scene, "--vary", "kd=1,2"}).out,
              AllOf(HasSubstr("kd=2"), Not(HasSubstr("kp="))));
  const Output state = torsor({"run", scene, "--save-state", "s"});
  EXPECT_EQ(state.exit_code, 2);
  EXPECT_THAT(state.err, HasSubstr("or remove --save-state"));
}

TEST_F(Sweep, DrawsVariantsOverEachOther) {
  const std::string scene = file("cart.lua", with(""));
  const Output sweep =
      torsor({"sweep", scene, "--vary", "kp=100,25", "--plot", "a.svg", "--signals", "cart.q"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  EXPECT_THAT(read("a.svg"),
              AllOf(HasSubstr("kp=100"), HasSubstr("kp=25"), HasSubstr("cart.q.rail [m]")));
  const Output none =
      torsor({"sweep", scene, "--vary", "kp=100,25", "--plot", "b.svg", "--signals", "cart.x"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no signal 'cart.x'"));
}

// Checks that the warning about incomplete recordings is the one of torsor plot.
TEST_F(Sweep, WarnsAboutIncompleteRecordings) {
  const Output sweep = torsor({"sweep", file("cart.lua", with("")), "--vary", "kp=-1e6,100",
                               "--plot", "a.svg", "--signals", "cart.q"});
  EXPECT_EQ(sweep.exit_code, 2);
  EXPECT_THAT(sweep.err,
              AllOf(HasSubstr("warning: 'recordings/cart-kp=-1e6.h5' is not complete, it has "),
                    Not(HasSubstr("cart-kp=100.h5"))));
  const Output plot =
      torsor({"plot", "recordings/cart-kp=-1e6.h5", "--signals", "cart.q", "--out", "b.svg"});
  EXPECT_THAT(sweep.err, testing::StartsWith(plot.err));
}

// Checks that no curve loses points: the input of gnuplot has all 301 rows of each of 40 variants.
TEST_F(Sweep, CurvesOfManyVariantsHaveAllTheirPoints) {
  file("bin/gnuplot", "#!/bin/bash\ncat > script.txt; echo '</svg>'\n");
  std::filesystem::permissions(folder_ / "bin/gnuplot", std::filesystem::perms::owner_all);
  std::string scene = with(""), values = "100";
  scene.replace(scene.find("record_interval = 0.1"), 21, "record_interval = 0.01");
  for (int k = 1; k < 40; ++k) values += "," + std::to_string(100 + k);
  const Output sweep = run("env", {"PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin",
                                   TORSOR_PROGRAM, "sweep", file("cart.lua", scene), "--vary",
                                   "kp=" + values, "--plot", "a.svg", "--signals", "cart.q"});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  std::istringstream script(read("script.txt"));
  std::vector<int> points;
  int gaps = 0;
  bool in_data = false;
  for (std::string line; std::getline(script, line);) {
    if (line.ends_with("<< EOD"))
      points.push_back(0), in_data = true;
    else if (line == "EOD")
      in_data = false;
    else if (in_data)
      ++points.back(), gaps += line.ends_with("NaN");
  }
  EXPECT_EQ(points, std::vector<int>(40, 301));
  EXPECT_EQ(gaps, 0) << "no curve is made of the rows of all variants";
}

TEST_F(Sweep, ARunPrintsItsMetrics) {
  const Output run = torsor(
      {"run", file("cart.lua", with("metrics = { settling_band = 0.05 }")), "--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              testing::ContainsRegex(
                  "metrics      of cart.spring\n +rms error +peak error.*\n"
                  " +rail +0.[0-9]+ m +1 m +[01].[0-9]+ s +5[0-9.]+% +100 N .* +-\n +all "));
  const Json json = Json::parse(read("recordings/cart.json"));
  EXPECT_EQ(json["metrics"][0]["rows"][0]["peak_error"], 1.0);
  EXPECT_THAT(torsor({"run", file("plain.lua", with(""))}).out, Not(HasSubstr("metrics")));
}

TEST_F(Sweep, InvalidMetricsAndVariantsAreReported) {
  const std::pair<const char*, const char*> wrong[] = {
      {"metrics = 3", "world:experiment: metrics"},
      {"metrics = { band = 1 }", "band"},
      {"metrics = { settling_band = 0 }", "metrics.settling_band is 0; it must be positive"},
      {"metrics = { settling_error = -1 }", "metrics.settling_error is -1; it must be positive"},
      {"metrics = { from = -1 }", "metrics.from is -1 s; it must not be negative"},
      {"metrics = { settling_band = 0.1, settling_error = 1 }", "give only one of them"},
      {"metrics = { joints = { 'rial' } }",
       "no control drives a joint 'rial'; there are rail; did you mean 'rail'?"},
      {"variants = { kq = {1} }",
       "variants.kq is not a parameter of torsor.params{...}; did you mean"},
      {"variants = { kp = 3 }", "variants.kp is not a list of values"},
      {"variants = { kp = {} }", "variants.kp is not a list of values"},
      {"variants = { kp = {1, 'x'} }", "variants.kp[2]"},
      {"variants = { kp = {1, 1} }", "variants.kp[2] repeats the value 1; list it once"},
      {"variants = { push = {1} }",
       "variants.push[1] is a number; it must have the type of the parameter's default"},
  };
  for (const auto& [extra, message] : wrong) {
    const Output run = torsor({"run", file("cart.lua", with(extra))});
    EXPECT_EQ(run.exit_code, 2) << extra;
    EXPECT_THAT(run.err, AllOf(HasSubstr("cart.lua:13: "), HasSubstr(message)));
    EXPECT_TRUE(written().empty());
  }
}

}  // namespace
}  // namespace torsor::test
