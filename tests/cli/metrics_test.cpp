// Tests of the metrics of controls: of a run, and as outcomes of a study; and of pictures of
// several recordings.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "cli/program.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
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

class ControlMetricsTest : public Program {};

// The metrics of controls are outcomes of a scene without an outcome function.
TEST_F(ControlMetricsTest, AreOutcomesOfAStudy) {
  const Output study = torsor({"study", file("cart.lua", with("")), "--grid", "kp=100,25", "--grid",
                               "kd=2,4", "--set", "push=false"});
  ASSERT_EQ(study.exit_code, 0) << study.err;
  EXPECT_THAT(study.out, testing::ContainsRegex("sample +kd +kp +cart.spring.rms_error \\[m\\] "));
  const StudyReader table(folder_ / "recordings/cart-study.h5");
  const auto column = [&](const char* name) {
    const auto& all = table.layout().outcomes;
    return size_t(std::ranges::find(all, name, &StudyColumn::name) - all.begin());
  };
  const size_t overshoots = column("cart.spring.overshoot"),
               torques = column("cart.spring.peak_torque");
  ASSERT_LT(torques, table.layout().outcomes.size());
  EXPECT_EQ(table.layout().outcomes[torques].unit, "N");
  table.each([&](uint64_t, const SampleRow& row) {
    const double kd = row.parameters[0], kp = row.parameters[1];
    EXPECT_EQ(row.status, SampleStatus::done);
    EXPECT_NEAR(row.outcomes[overshoots], overshoot(kp, kd), 1e-4);
    EXPECT_EQ(row.outcomes[torques], kp);
  });
}

TEST_F(ControlMetricsTest, RecordingsAreDrawnOverEachOther) {
  const std::string scene = file("cart.lua", with(""));
  ASSERT_EQ(torsor({"study", scene, "--grid", "kp=100,25", "--keep", "all"}).exit_code, 0);
  const Output plot = torsor({"plot", "recordings/cart-0.h5", "recordings/cart-1.h5", "--signals",
                              "cart.q", "--out", "a.svg"});
  ASSERT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_THAT(read("a.svg"),
              AllOf(HasSubstr("kp=100"), HasSubstr("kp=25"), HasSubstr("cart.q.rail [m]")));
  const Output none = torsor({"plot", "recordings/cart-0.h5", "recordings/cart-1.h5", "--signals",
                              "cart.x", "--out", "b.svg"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no signal 'cart.x'"));
}

// Checks that no curve loses points: the input of gnuplot has all 301 rows of each of 40
// recordings.
TEST_F(ControlMetricsTest, CurvesOfManyRecordingsHaveAllTheirPoints) {
  file("bin/gnuplot", "#!/bin/bash\ncat > script.txt; echo '</svg>'\n");
  std::filesystem::permissions(folder_ / "bin/gnuplot", std::filesystem::perms::owner_all);
  std::string scene = with(""), values = "100";
  scene.replace(scene.find("record_interval = 0.1"), 21, "record_interval = 0.01");
  for (int k = 1; k < 40; ++k) values += "," + std::to_string(100 + k);
  ASSERT_EQ(torsor({"study", file("cart.lua", scene), "--grid", "kp=" + values, "--keep", "all"})
                .exit_code,
            0);
  std::vector<std::string> words{"PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin",
                                 TORSOR_PROGRAM, "plot"};
  for (int k = 0; k < 40; ++k) words.push_back("recordings/cart-" + std::to_string(k) + ".h5");
  words.insert(words.end(), {"--signals", "cart.q", "--out", "a.svg"});
  const Output plot = run("env", words);
  ASSERT_EQ(plot.exit_code, 0) << plot.err;
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
  EXPECT_EQ(gaps, 0) << "no curve is made of the rows of all recordings";
}

TEST_F(ControlMetricsTest, ARunPrintsItsMetrics) {
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

TEST_F(ControlMetricsTest, InvalidMetricsAreReported) {
  const std::pair<const char*, const char*> wrong[] = {
      {"metrics = 3", "world:experiment: metrics"},
      {"metrics = { band = 1 }", "band"},
      {"metrics = { settling_band = 0 }", "metrics.settling_band is 0; it must be positive"},
      {"metrics = { settling_error = -1 }", "metrics.settling_error is -1; it must be positive"},
      {"metrics = { from = -1 }", "metrics.from is -1 s; it must not be negative"},
      {"metrics = { settling_band = 0.1, settling_error = 1 }", "give only one of them"},
      {"metrics = { joints = { 'rial' } }",
       "no control drives a joint 'rial'; there are rail; did you mean 'rail'?"},
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
