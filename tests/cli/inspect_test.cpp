// Tests of torsor inspect: scenes/structure.md shows its real output, and faulty solvers are
// detected.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"
#include "torsor/analysis/structure_laws.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

// Returns whether two words are equal. Two numbers are equal if they agree to 2 %, or if both are
// below 1e-9 (rounding).
bool same(const std::string& a, const std::string& b) {
  char *a_end, *b_end;
  const double x = std::strtod(a.c_str(), &a_end), y = std::strtod(b.c_str(), &b_end);
  if (a_end == a.c_str() || b_end == b.c_str() || std::string(a_end) != b_end) return a == b;
  return (std::abs(x) < 1e-9 && std::abs(y) < 1e-9) || std::abs(x - y) <= 0.02 * std::abs(x);
}

class Inspect : public Program {};

// Runs each command of the page (a line "$ ./torsor ...") and compares its output with the lines
// that follow.
TEST_F(Inspect, PrintsTheOutputOfThePage) {
  std::filesystem::create_directory_symlink(source("scripts"), folder_ / "scripts");
  std::ifstream page(source("scenes/structure.md"));
  int commands = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("$ ./torsor ")) continue;
    SCOPED_TRACE(line);
    std::vector<std::string> arguments = words(line);
    const Output output = torsor({arguments.begin() + 2, arguments.end()});
    EXPECT_EQ(output.exit_code, 0) << output.err;
    std::istringstream printed(output.out);
    for (std::string said; std::getline(page, said) && said != "```";) {
      std::string line_printed;
      ASSERT_TRUE(std::getline(printed, line_printed)) << "it does not print: " << said;
      const std::vector<std::string> a = words(said), b = words(line_printed);
      ASSERT_EQ(a.size(), b.size()) << line_printed;
      for (size_t k = 0; k < a.size(); ++k)
        EXPECT_TRUE(same(a[k], b[k])) << said << "\nis\n" << line_printed;
    }
    std::string more;
    EXPECT_FALSE(std::getline(printed, more)) << "it prints besides: " << more;
    ++commands;
  }
  EXPECT_GE(commands, 2);
}

TEST_F(Inspect, GivesTheSameAsJson) {
  const Output output = torsor({"inspect", source("scripts/robots/scara.lua").string(), "--solver",
                                "lagrange_christoffel", "--samples", "5", "--json"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json out = Json::parse(output.out);
  EXPECT_EQ(out["holds"], true);
  EXPECT_EQ(out["joints"], (Json{{"revolute", 3}, {"prismatic", 1}}));
  EXPECT_EQ(out["laws"].size(), structure_laws(4).size());
  EXPECT_THAT(out["coriolis"].get<std::string>(), HasSubstr("Christoffel's"));
  // The prismatic joint is parallel to the axes of rotation, so M is bounded in all configurations.
  EXPECT_EQ(out["bounds"]["everywhere"], true);
  EXPECT_GT(out["bounds"]["M_least"], 0);
}

// Checks the 2R arm as printed in MR 9.1. The book has cos(theta1) instead of cos(theta2) in tau1,
// a wrong velocity term in tau2, and gravity with the wrong sign.
TEST_F(Inspect, DetectsTheMisprintsOfATextbook) {
  const std::string printed = file("printed.lua", R"(local torsor = require "torsor"
torsor.solver("printed", { inverse = function(model, state, vdot)
  local cos, sin, g = math.cos, math.sin, state.A_W[5]
  local q1, q2 = table.unpack(state.q)
  local v1, v2 = table.unpack(state.v)
  local a1, a2 = table.unpack(vdot)
  return { (3 + 2 * cos(q2)) * a1 + (cos(q1) + 1) * a2 - sin(q2) * (2 * v1 * v2 + v2^2) + 2 * g * cos(q1) + g * cos(q1 + q2),
           (cos(q2) + 1) * a1 + a2 - v1 * v2 * sin(q2) - g * cos(q1 + q2) }
end })
)");
  const Output output =
      torsor({"inspect", source("scripts/robots/planar.lua").string(), "--gravity", "0,-9.81,0",
              "--plugins", printed, "--solver", "printed"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.err,
              AllOf(HasSubstr("planar.lua: in state "),
                    HasSubstr("the law 'M = M^T' is violated by solver.printed: "),
                    HasSubstr("where 1.0e-10 is allowed; "), HasSubstr(" laws more\n")));
  const Json laws =
      Json::parse(torsor({"inspect", source("scripts/robots/planar.lua").string(), "--gravity",
                          "0,-9.81,0", "--plugins", printed, "--solver", "printed", "--json"})
                      .out)["laws"];
  std::vector<std::string> kept;
  for (const Json& law : laws)
    if (!law["broken"] && !law["worst"].is_null()) kept.push_back(law["law"]);
  EXPECT_THAT(kept, testing::ElementsAre("T, U of links", "M_ij(inertias)", "tau_i(inertias)",
                                         "C v + g", "G_ijk = G_ikj", "G_ijk v_j v_k"));
}

// The two links of the page: a_1 = 3 + sqrt 8, |g| <= 9.81 sqrt 10.
TEST_F(Inspect, SearchesBounds) {
  const std::vector<std::string> command = {"inspect", source("scripts/robots/planar.lua").string(),
                                            "--gravity", "0,-9.81,0", "--bounds"};
  const Output text = torsor(command);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("a_1 = 5.82843"), HasSubstr("a_6 = 31.0219"),
                              HasSubstr("|M| >=     0.171573")));
  std::vector<std::string> json = command;
  json.push_back("--json");
  const Json out = Json::parse(torsor(json).out);
  EXPECT_NEAR(out["a_1"]["value"].get<double>(), 3 + std::sqrt(8.0), 1e-9);
  EXPECT_EQ(out["a_3"]["value"], 0);
  // A prismatic joint that moves along the axes of rotation has no effect, whatever its length.
  const std::string scara = source("scripts/robots/scara.lua").string();
  const auto a_1 = [&](const char* length) {
    return Json::parse(torsor({"inspect", scara, "--bounds", "--length", length, "--json"}).out);
  };
  EXPECT_EQ(a_1("1")["a_2"]["value"], 0);
  EXPECT_GT(a_1("10")["a_1"]["value"].get<double>(), 10 * a_1("1")["a_1"]["value"].get<double>());
}

TEST_F(Inspect, AnalysesJointsUnderPid) {
  const std::string planar = source("scripts/robots/planar.lua").string();
  const std::filesystem::path picture = folder_ / "loop.svg";
  const Output text =
      torsor({"inspect", planar, "--control", "pole=10", "--plot", picture.string()});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  // The largest inertias are 5 and 1 kg m^2.
  EXPECT_THAT(text.out, AllOf(HasSubstr("joint1: stable"), HasSubstr("K_p = 1500 N m/rad"),
                              HasSubstr("joint2: stable"), HasSubstr("K_i = 1000 N m/(rad s)"),
                              HasSubstr("poles         -10, -10, -10 rad/s"),
                              HasSubstr("q / q_d       (30 s^2 + 300 s + 1000) / (s^3 + 30 s^2 + "
                                        "300 s + 1000)")));
  std::ifstream drawn(picture);
  const std::string svg((std::istreambuf_iterator<char>(drawn)), {});
  EXPECT_THAT(
      svg, AllOf(HasSubstr("frequency [rad/s]"), HasSubstr("time [s]"), HasSubstr("open loop [dB]"),
                 HasSubstr("joint2"), HasSubstr("poles for 0.01 to 100 times the gains")));
  const Json json = Json::parse(
      torsor({"inspect", planar, "--control", "kp=100,20", "--control", "kd=20", "--json"}).out);
  EXPECT_EQ(json["control"][1]["kp"], 20);
  EXPECT_EQ(json["control"][0]["poles"].size(), 2u);
  EXPECT_EQ(json["control"][0]["gain_margin"], nullptr);
  // The gains of a scene's controller.
  const Output of_scene =
      torsor({"inspect", source("scenes/pid.lua").string(), "--control", "iiwa.pid"});
  ASSERT_EQ(of_scene.exit_code, 0) << of_scene.err;
  EXPECT_THAT(of_scene.out, HasSubstr("poles         -30, -30, -30 rad/s"));
  // Gains that do not stabilise the joint are a result with exit status 1.
  const Output unstable = torsor(
      {"inspect", planar, "--control", "kp=10", "--control", "kd=1", "--control", "ki=1000"});
  EXPECT_EQ(unstable.exit_code, 1);
  EXPECT_THAT(unstable.out, HasSubstr("joint1: UNSTABLE"));
  EXPECT_THAT(unstable.err, HasSubstr("joint1 is not stable with these gains"));
  const Output none = torsor({"inspect", planar, "--control", "kp=0"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.out, HasSubstr("joint1: NOT STABLE"));
}

// A rotor that is a body and a joint that mimics another one follow their leaders. Each joint alone
// has the inertia 1 about its axis.
TEST_F(Inspect, DoesNotListJointsThatFollow) {
  const std::string robot = file("followers.lua", R"(local torsor = require "torsor"
local a = torsor.robot{ name = "a" }
local disc = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }
local axis = {0, 0, 1}
a:link{ name = "l1", inertia = disc, joint = { "revolute", name = "j1", axis = axis,
  damping = 0.5, motor = { rotor_inertia = 0.1, gear_ratio = 10, body = true } } }
a:link{ name = "l2", inertia = disc, joint = { "revolute", name = "j2", axis = axis } }
a:link{ name = "l3", inertia = disc, joint = { "revolute", name = "j3", axis = axis, damping = 0.5,
  mimic = { joint = "j2", ratio = -3 } } }
a:link{ name = "l4", inertia = disc, joint = { "revolute", name = "j4", axis = axis,
  elastic = { stiffness = 100 }, motor = { rotor_inertia = 1 } } }
return { build = function() return a end }
)");
  const Output output = torsor({"inspect", robot, "--control", "pole=3", "--json"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("warning: joint 'j4' is elastic"));
  const Json loops = Json::parse(output.out)["control"];
  ASSERT_EQ(loops.size(), 3u) << output.out;
  EXPECT_EQ(loops[0]["dof"], "j1");
  EXPECT_NEAR(loops[0]["inertia"].get<double>(), 1 + 0.1 * 10 * 10, 1e-12);
  EXPECT_EQ(loops[1]["dof"], "j2");
  EXPECT_NEAR(loops[1]["inertia"].get<double>(), 1 + 9, 1e-12);
  EXPECT_NEAR(loops[1]["viscous"].get<double>(), 9 * 0.5, 1e-12);
  EXPECT_NEAR(loops[2]["inertia"].get<double>(), 1, 1e-12);
  // Negative gains may be stable below a factor only.
  const Output below = torsor(
      {"inspect", robot, "--control", "kp=10", "--control", "kd=-0.1", "--control", "ki=0.1"});
  EXPECT_THAT(below.out, HasSubstr("below")) << below.err;
}

TEST_F(Inspect, RejectsInvalidControls) {
  const std::string planar = source("scripts/robots/planar.lua").string();
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"--control", "kq=1"}, "--control: there is no setting 'kq'; there are kp, kd, ki"},
      {{"--control", "kp"}, "--control kp: the robot has no controls; give the gains"},
      {{"--control", "kp=one"}, "--control kp=one: it must be a number"},
      {{"--control", "kp="}, "it must be a number"},
      {{"--control", "kp=1,2,3"}, "--control kp=1,2,3: 3 numbers for 2 degrees of freedom"},
      {{"--control", "kp=1", "--control", "pole=2"}, "pole determines the gains"},
      {{"--control", "pole=0"}, "--control: joint1: the pole is 0 rad/s; give a positive number"},
      {{"--plot", "x.svg"}, "give gains with --control"},
      {{"--control", "kp=1", "--plot", "x.pdf"}, "a picture ends in .svg or .png"},
      {{"--control", "kp=1", "--bounds"}, "--bounds"},
      {{"--bounds", "--length", "0"}, "--length"},
      {{"--length", "2"}, "--length applies to --bounds, which is not given"},
      {{"--bounds", "--samples", "5"}, "--samples applies to the check at random states"}};
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> all{"inspect", planar};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Output output = torsor(all);
    EXPECT_EQ(output.exit_code, 2) << message;
    EXPECT_THAT(output.err, HasSubstr(message));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  }
}

TEST_F(Inspect, RejectsInvalidArguments) {
  const std::string stone =
      file("stone.urdf", R"(<robot name="stone"><link name="base"/></robot>)");
  EXPECT_EQ(torsor({"inspect", stone}).err,
            "torsor: " + stone + ": the robot has no moving joint; there is nothing to inspect\n");
  const std::string iiwa = source("scripts/robots/iiwa.lua").string();
  const Output unknown = torsor({"inspect", iiwa, "--solver", "newton_eular"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean"));
  EXPECT_EQ(torsor({"inspect", iiwa, "--samples", "0"}).exit_code, 2);
  EXPECT_EQ(torsor({"inspect", source("scenes/double_pendulum.lua").string()}).exit_code, 2);
}

}  // namespace
}  // namespace torsor::test
