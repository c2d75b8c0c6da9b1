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
  ASSERT_EQ(torsor({"run", source("scenes/scara.lua").string(), "--duration", "0.1"}).exit_code, 0);
  expect_rejected({"identify", "recordings/scara.h5"}, "vdot");
}

}  // namespace
}  // namespace torsor::test
