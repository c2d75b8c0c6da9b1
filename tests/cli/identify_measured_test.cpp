// Tests of torsor identify with measured positions: filters, prediction of other recordings,
// reports and written parameters. Also tests torsor excite.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

class IdentifyMeasured : public Program {
 protected:
  const std::string scene_ = source("scenes/iiwa_excitation.lua").string(),
                    robot_ = source("scripts/robots/iiwa.lua").string();

  // Runs the scene and writes q, rounded to the steps of an encoder, and tau / gain to a CSV file.
  void measure(const std::string& name, const std::vector<std::string>& settings, double gain = 1) {
    std::vector<std::string> arguments{"run", scene_};
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    const Output run = torsor(arguments);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    ASSERT_EQ(torsor({"convert", "recordings/iiwa_excitation.h5", "all.csv"}).exit_code, 0);
    std::istringstream rows(read("all.csv"));
    std::string line, out;
    std::vector<size_t> used;
    for (bool head = true; std::getline(rows, line); head = false) {
      std::vector<std::string> cells;
      std::istringstream split(line);
      for (std::string cell; std::getline(split, cell, ',');) cells.push_back(cell);
      if (head)
        for (size_t k = 0; k < cells.size(); ++k)
          if (k == 0 || cells[k].starts_with("iiwa.q.") || cells[k].starts_with("iiwa.tau."))
            used.push_back(k);
      std::string row;
      for (size_t i = 0; i < used.size(); ++i) {
        std::string cell = cells[used[i]];
        const double step = 2 * M_PI / 4096;
        if (!head && i >= 1 && i <= 7)
          cell = std::to_string(step * std::round(std::stod(cell) / step));
        if (!head && i >= 8) cell = std::to_string(std::stod(cell) / gain);
        row += (i == 0 ? "" : ",") + cell;
      }
      out += row + "\n";
    }
    file(name, out);
  }
  void expect_rejected(const std::vector<std::string>& arguments, const std::string& message) {
    const Output output = torsor(arguments);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  }
};

TEST_F(IdentifyMeasured, PredictsReportsAndWrites) {
  measure("run.csv", {});
  measure("other.csv", {"--set", "frequency=0.14", "--duration", "7"});
  const Output output = torsor({"identify", "run.csv", robot_, "--validate", "other.csv",
                                "--report", "report.html", "--write", "identified.lua", "--json"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json found = Json::parse(output.out);
  EXPECT_GT(found["filter"]["interval"], 1);
  EXPECT_LT(found["validation"][0]["relative_error"], 0.02);
  EXPECT_LT(found["validation"][0]["relative_error_physical"], 0.02);
  EXPECT_LT(found["physical"]["distance"], 3);
  EXPECT_EQ(found["validation"][0]["joints"].size(), 7u);
  EXPECT_GT(found["physical"]["standard"]["link3.M"], 0);

  const std::string page = read("report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<svg "), HasSubstr("joint7"), HasSubstr("other.csv")));
  EXPECT_EQ(page.find("src="), page.npos);
  EXPECT_EQ(page.find("href="), page.npos);
  EXPECT_EQ(page.find("nan"), page.npos);

  // The robot with the written parameters has the physical base parameters.
  file("robot.lua",
       "local arm = require(\"robots.iiwa\").build()\n"
       "arm:set_parameters(require \"identified\")\n"
       "return { build = function() return arm end }\n");
  const Output again = torsor({"identify", "run.csv", "robot.lua", "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const Json now = Json::parse(again.out);
  for (size_t k = 0; k < found["parameters"].size(); ++k)
    EXPECT_NEAR(now["parameters"][k]["model"].get<double>(),
                found["parameters"][k]["physical"].get<double>(), 1e-9)
        << found["parameters"][k]["name"];

  const Output text = torsor({"identify", "run.csv", robot_, "--validate", "other.csv", "--cutoff",
                              "8", "--weights", "equal"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("v and vdot   from q, by a low-pass of 8 Hz and central differences"),
                    HasSubstr("weights      equal"), HasSubstr("prediction of other.csv"),
                    HasSubstr("standard deviations from the estimates")));
  const Output energy = torsor({"identify", "recordings/iiwa_excitation.h5", "--method", "energy"});
  EXPECT_THAT(energy.out, HasSubstr("\nenergy  J ")) << energy.err;
}

TEST_F(IdentifyMeasured, RejectsUnusableData) {
  measure("run.csv", {"--duration", "1"});
  const std::string all = read("run.csv");
  expect_rejected({"identify", "run.csv", robot_, "--cutoff", "500"},
                  "run.csv: the cut-off of 500 Hz must be above 0 and below ");
  expect_rejected({"identify", "run.csv", robot_, "--cutoff", "nan"}, "the cut-off of nan Hz");
  expect_rejected({"identify", "run.csv", robot_, "--weights", "best"}, "best");
  expect_rejected({"identify", "run.csv", robot_, "--method", "power"}, "power");
  expect_rejected({"identify", "run.csv", robot_, "--write", "robot.xml"},
                  "--write robot.xml: give a .lua or a .urdf file");
  expect_rejected({"identify", "run.csv", robot_, "--write", "robot.urdf"},
                  "a .urdf file is written only for a robot of a .urdf file");
  expect_rejected({"identify", "run.csv", robot_, "--validate", "nowhere.csv"}, "nowhere.csv");
  // Rows of a CSV file that is cut, has a gap, NaN or another column.
  std::vector<std::string> lines;
  std::istringstream rows(all);
  for (std::string line; std::getline(rows, line);) lines.push_back(line);
  const auto joined = [](const std::vector<std::string>& of) {
    std::string text;
    for (const std::string& line : of) text += line + "\n";
    return text;
  };
  file("short.csv", joined({lines.begin(), lines.begin() + 11}));
  expect_rejected({"identify", "short.csv", robot_},
                  "short.csv: 10 samples are too few to filter positions; at least 64 are needed");
  std::vector<std::string> gap = lines;
  gap.erase(gap.begin() + 50);
  file("gap.csv", joined(gap));
  expect_rejected({"identify", "gap.csv", robot_}, "gap.csv: the samples are not evenly spaced: ");
  std::vector<std::string> nan = lines;
  nan[20] = nan[20].substr(0, nan[20].find(',')) + ",nan" +
            nan[20].substr(nan[20].find(',', nan[20].find(',') + 1));
  file("nan.csv", joined(nan));
  expect_rejected({"identify", "nan.csv", robot_}, "'iiwa.q.joint1' is not finite in row 20");
  std::vector<std::string> still = lines;
  for (size_t k = 2; k < still.size(); ++k)
    still[k] = lines[k].substr(0, lines[k].find(',')) + lines[1].substr(lines[1].find(','));
  file("still.csv", joined(still));
  expect_rejected({"identify", "still.csv", robot_},
                  "still.csv: the positions are constant, or only noise");
  std::vector<std::string> unknown = lines;
  unknown[0].replace(unknown[0].find("iiwa.tau.joint3"), 15, "iiwa.tau.elbow3");
  file("unknown.csv", joined(unknown));
  expect_rejected({"identify", "unknown.csv", robot_}, "has no column 'iiwa.tau.joint3'");
  const std::pair<const char*, const char*> units[] = {
      {"iiwa.q.joint2 [rad]", "deg"}, {"iiwa.tau.joint3 [N m]", "mN m"}, {"time [s]", "ms"}};
  for (const auto& [column, unit] : units) {
    std::vector<std::string> converted = lines;
    const std::string whole = column, name = whole.substr(0, whole.find(' ')),
                      expected = whole.substr(whole.find('['));
    converted[0].replace(converted[0].find(whole), whole.size(), name + " [" + unit + "]");
    file("units.csv", joined(converted));
    expect_rejected({"identify", "units.csv", robot_}, "'units.csv': the unit of the column '" +
                                                           name + "' is [" + unit +
                                                           "]; convert it to " + expected);
  }
}

TEST_F(IdentifyMeasured, GainsFollowFromALoad) {
  measure("free.csv", {}, 12);
  measure("loaded.csv", {"--set", "payload=3"}, 12);
  const std::vector<std::string> loaded = {"gains",      "free.csv", robot_, "--loaded",
                                           "loaded.csv", "--link",   "link7"};
  auto arguments = loaded;
  arguments.insert(arguments.end(), {"--load", "3,0,0,0.226", "--json"});
  const Output output = torsor(arguments);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json found = Json::parse(output.out);
  for (const Json& joint : found["joints"])
    EXPECT_NEAR(joint["gain"].get<double>(), 12, 0.3) << joint["name"];
  const Output known = torsor({"gains", "free.csv", robot_, "--gain", "joint2=12"});
  EXPECT_THAT(known.out, HasSubstr("joint2       12")) << known.err;
  expect_rejected({"gains", "free.csv", robot_},
                  "give motions with and without a known load, or one gain");
  expect_rejected(loaded, "--loaded needs the load: give --link LINK and --load MASS,X,Y,Z");
  expect_rejected({"gains", "free.csv", robot_, "--gain", "joint2=0"},
                  "--gain joint2=0: '0' is not a gain; give a number that is not 0");
  expect_rejected({"gains", "free.csv", robot_, "--gain", "elbow=3"}, "elbow");
  expect_rejected({"gains", "free.csv", robot_, "--gain", "joint1=1e300"},
                  "the known gain, are too large or too small");
  expect_rejected({"gains", "free.csv", robot_, "--gain", "joint1=12", "--link", "link7"},
                  "--link describes the load of --loaded, which is not given");
  std::string currents = read("free.csv");
  for (size_t at; (at = currents.find("[N m]")) != currents.npos;) currents.replace(at, 5, "[A]");
  file("currents.csv", currents);
  EXPECT_EQ(torsor({"gains", "currents.csv", robot_, "--gain", "joint2=12"}).out, known.out);
}

TEST_F(IdentifyMeasured, ExciteWritesAMotion) {
  const Output output = torsor({"excite", robot_, "--velocity", "1.5", "--acceleration", "5",
                                "--evaluations", "100", "--harmonics", "4", "--out", "motion.lua"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("motion       4 harmonics of 0.1 Hz, period 10 s"),
                                HasSubstr("; random motions: ")));
  file("scene.lua",
       "local torsor = require \"torsor\"\n"
       "local arm = require(\"robots.iiwa\").build()\n"
       "local waves = arm:trajectory(\"fourier\", require \"motion\")\n"
       "for _, v in ipairs(waves:at(0).v) do assert(math.abs(v) < 1e-12) end\n"
       "local world = torsor.world{}\nworld:add(arm)\n"
       "return world:experiment{ solver = \"newton_euler\", integrator = { \"rk4\", dt = 1e-3 }, "
       "duration = 0.01, record = { \"iiwa.q\" } }\n");
  const Output run = torsor({"run", "scene.lua"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_rejected({"excite", robot_, "--frequency", "0"}, "--frequency 0: it must be a positive");
  expect_rejected({"excite", robot_, "--velocity", "-1"}, "--velocity -1: it must be a positive");
  expect_rejected({"excite", robot_, "--harmonics", "1"}, "--harmonics");
  expect_rejected({"excite", "nowhere.lua"}, "nowhere.lua");
}

}  // namespace
}  // namespace torsor::test
