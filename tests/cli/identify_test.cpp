// Tests of torsor identify: the shipped excitation yields the parameters of its robot, and missing
// data of a recording are reported.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

class Identify : public Program {
 protected:
  const std::string scene_ = source("scenes/excitation.lua").string(),
                    robot_ = source("scripts/robots/rx90.lua").string();
  void record(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", scene_});
    const Output run = torsor(more);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  void expect_rejected(const std::vector<std::string>& arguments, const std::string& message) {
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    EXPECT_EQ(output.out, "");
  }
};

// Checks the 52 parameters: 40 base parameters of links and rotors, and two friction parameters for
// each of six joints. The tolerance is 1e-8 of the largest.
TEST_F(Identify, RecoversTheRobotOfTheExcitation) {
  record();
  const Output output = torsor({"identify", "recordings/excitation.h5", "--json"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.err, "");
  const Json found = Json::parse(output.out);
  ASSERT_EQ(found["parameters"].size(), 52u);
  for (const Json& parameter : found["parameters"])
    EXPECT_NEAR(parameter["estimate"].get<double>(), parameter["model"].get<double>(), 1e-8 * 20)
        << parameter["name"];
  EXPECT_EQ(found["parameters"][0]["name"], "link1.ZZR");
  EXPECT_NEAR(found["parameters"][0]["estimate"].get<double>(), 10.4885, 1e-8);
  EXPECT_LT(found["condition"].get<double>(), 100);
  EXPECT_LT(found["joints"][2]["residual"].get<double>(), 1e-10);
  EXPECT_TRUE(found["physical"]["within_intervals"].get<bool>());
  EXPECT_EQ(found["physical"]["standard"].size(), 78u);

  ASSERT_EQ(torsor({"convert", "recordings/excitation.h5", "rows.csv"}).exit_code, 0);
  const std::string rows = read("rows.csv");
  expect_rejected({"identify", "recordings/excitation.h5", "--validate",
                   file("empty.csv", rows.substr(0, rows.find('\n') + 1))},
                  "empty.csv': there are no samples to predict");

  const Output table = torsor({"identify", "recordings/excitation.h5", "--friction", "none"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, testing::AllOf(HasSubstr(" equations for 40 base parameters of 66\n"),
                                        HasSubstr("\n  link4.ZZR = link4.ZZ + link5.YY\n"),
                                        HasSubstr("\nphysical     no physically possible bodies")))
      << "friction taken for inertia";

  // Repeats the identification with the rows only, without the description of the recording, and
  // with a nominal model without friction.
  ASSERT_EQ(torsor({"convert", "recordings/excitation.h5", "rows.csv"}).exit_code, 0);
  std::filesystem::remove(folder_ / "rows.json");
  const Json again =
      Json::parse(torsor({"identify", "rows.csv", robot_, "--friction", "all", "--json"}).out);
  ASSERT_EQ(again["parameters"].size(), 52u);
  for (size_t i = 0; i < 52; ++i)
    EXPECT_EQ(again["parameters"][i]["estimate"], found["parameters"][i]["estimate"]);
}

// The torque of a prescribed joint is not recorded, and the gravity is unusual. The command and
// arm:identify read both from the recording.
TEST_F(Identify, OmitsPrescribedJoints) {
  file("arm.lua", R"(local torsor = require "torsor"
local p = torsor.params{ prescribed = false, identify = false }
local a = torsor.robot{ name = "a" }
local body = { mass = 1, com = {0.1, 0.2, 0.05}, about_com = { Ixx = 0.1, Iyy = 0.12, Izz = 0.1 } }
a:link{ name = "l1", joint = { "revolute", name = "j1", axis = {0, 0.2, 1} }, inertia = body }
a:link{ name = "l2", parent = "l1", inertia = body,
  joint = { "revolute", name = "j2", axis = {0, 1, 0}, point = {0.3, 0, 0} } }
local world = torsor.world{ gravity = {0, 1, -5} }
world:add(a)
if p.identify then
  local found = a:identify{ recording = "recordings/free.h5", validate = { "recordings/pres.h5" } }
  local again = a:identify{ recording = "recordings/pres.h5" }
  local worst = found.validation[1].relative_error
  for k, x in ipairs(again.estimate) do worst = math.max(worst, math.abs(x - again.model[k])) end
  print("accurate", worst < 1e-6, #found.warnings)
end
if p.prescribed then
  a:prescribe{ motion = { j2 = function(t) return math.sin(2 * t), 2 * math.cos(2 * t) end } }
end
a:control(function(t)
  return { 3 * math.sin(3 * t) + math.cos(5 * t), p.prescribed and 0 or math.cos(3 * t) }
end, { name = "u" })
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 0.002 },
  duration = p.identify and 0.01 or 3, record = { "a.q", "a.v", "a.vdot", "a.tau" } }
)");
  const auto run = [&](const std::string& setting, const std::string& name) {
    const Output made = torsor({"run", "arm.lua", "--set", setting});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    std::filesystem::rename(folder_ / "recordings/arm.h5", folder_ / ("recordings/" + name));
  };
  run("prescribed=false", "free.h5");
  run("prescribed=true", "pres.h5");
  const Output output =
      torsor({"identify", "recordings/free.h5", "--validate", "recordings/pres.h5", "--json"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json found = Json::parse(output.out);
  ASSERT_EQ(found["validation"].size(), 1u) << output.out;
  EXPECT_LT(found["validation"][0]["relative_error"].get<double>(), 1e-6);
  const Output lua = torsor({"run", "arm.lua", "--set", "identify=true"});
  EXPECT_THAT(lua.out + lua.err, HasSubstr("accurate\ttrue\t0"));
}

TEST_F(Identify, ReportsMissingData) {
  record({"--duration", "0.05"});
  const std::string run = "recordings/excitation.h5";
  expect_rejected(
      {"identify", run},
      "torsor: recordings/excitation.h5: 6 samples give 36 equations for 52 parameters; "
      "at least 62 are needed; record a longer motion");
  expect_rejected({"identify", run, "--dead-band", "100"},
                  "equations of joints with dry friction: give a smaller --dead-band");
  expect_rejected(
      {"identify", run, source("scripts/robots/iiwa.lua").string()},
      "has no column 'iiwa.q.joint1'; it has joint positions of rx90; identification needs q and "
      "tau of all joints, and v and vdot unless they follow from q: record \"iiwa.q\", "
      "\"iiwa.tau\", \"iiwa.v\", \"iiwa.vdot\"");
  expect_rejected(
      {"identify", file("energy.csv", "time [s],energy [J]\n0,1\n"), robot_},
      "; it has no joint positions; identification needs q and tau of all joints, and v and vdot "
      "unless they follow from q: record \"rx90.q\", \"rx90.tau\", \"rx90.v\", \"rx90.vdot\"");
  expect_rejected({"identify", run, "--frictoin", "all"}, "did you mean '--friction'?");
  expect_rejected({"identify", run, "--friction", "some"}, "some");
  expect_rejected({"identify", run, "--set", "parameters=base"},
                  "--set applies to a scene or robot that is given after RUN");
  expect_rejected({"identify", "nowhere.h5"}, "nowhere.h5");
  ASSERT_EQ(torsor({"convert", run, "rows.csv"}).exit_code, 0);
  std::string side = read("rows.json");
  const size_t gravity = side.find("\"gravity\"");
  ASSERT_NE(gravity, std::string::npos);
  file("rows.json", side.replace(gravity, 9, "\"gravitx\""));
  expect_rejected({"identify", "rows.csv"}, "rows.csv: the description of the run is damaged");
  std::filesystem::remove(folder_ / "rows.json");
  expect_rejected(
      {"identify", "rows.csv"},
      "'rows.csv' does not name its robot; give it: torsor identify rows.csv SCENE|ROBOT");
  std::string gap = read("rows.csv");
  const size_t row = gap.find('\n', gap.find('\n') + 1);
  gap.erase(row, gap.find('\n', row + 1) - row);
  expect_rejected({"identify", file("gap.csv", gap), robot_, "--method", "energy"},
                  "gap.csv: the samples are not evenly spaced: ");
  expect_rejected({"identify", run, "--method", "energy", "--weights", "equal"},
                  "--weights applies to the equations of --method torque");
  expect_rejected({"identify", run, "--method", "energy", "--dead-band", "0.1"},
                  "--dead-band applies to the equations of --method torque");
  ASSERT_EQ(torsor({"run", source("scenes/scara.lua").string(), "--duration", "0.1"}).exit_code, 0);
  expect_rejected({"identify", "recordings/scara.h5"}, "vdot");
}

}  // namespace
}  // namespace torsor::test
