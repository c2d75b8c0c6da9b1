// Tests of torsor lint, and of the messages of other commands about the same faults.

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

class Lint : public Program {
 protected:
  // Writes a robot with one hinge. Its link is in line 3 of the file.
  std::string arm(const std::string& moments, const std::string& ending,
                  const std::string& axis = "{0, 1, 0}") {
    return file("arm.lua", R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "l", joint = { "revolute", name = "j", axis = )" +
                               axis +
                               R"( }, inertia = { mass = 1, com = {0, 0, 0.4}, about_com = )" +
                               moments + " } }\n" + ending + "\n");
  }
  static constexpr const char* sound = "{ Ixx = 0.1, Iyy = 0.1, Izz = 0.1 }";
  static constexpr const char* impossible = "{ Ixx = 1, Iyy = 2, Izz = 4 }";
  static constexpr const char* scene = R"(local world = torsor.world{}
world:add(arm)
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 0.01, record = { "arm.q" } })";
};

TEST_F(Lint, AValidRobotHasNoFindings) {
  const std::string robot = arm(sound, "return arm");
  const Output out = torsor({"lint", robot});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_EQ(out.out, robot + ": 0 errors, 0 warnings, 0 notes\n");
  EXPECT_EQ(out.err, "");
}

TEST_F(Lint, AWarningLeavesTheExitStatusAt0) {
  const std::string robot = arm(sound, "return arm", "{0, 2, 0}");
  const Output out = torsor({"lint", robot});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(
      out.out,
      StartsWith(robot + ":3: warning: joint 'j': its axis (0, 2, 0) is not a unit vector"));
  EXPECT_THAT(out.out, EndsWith(": 0 errors, 1 warning, 0 notes\n"));
}

// Checks an impossible inertia in a robot and in a scene. Other commands reject both files.
TEST_F(Lint, AnErrorIsExitStatus1) {
  for (const char* ending : {"return arm", scene}) {
    const std::string robot = arm(impossible, ending);
    const Output out = torsor({"lint", robot});
    EXPECT_EQ(out.exit_code, 1) << out.err;
    EXPECT_THAT(out.out, StartsWith(robot + ":3: error: link 'l': no body has this inertia"));
    EXPECT_THAT(out.out, HasSubstr("ixx = 1.333333333333333"));
    EXPECT_THAT(out.out, EndsWith("\n" + robot + ": 1 error, 0 warnings, 0 notes\n"));
    EXPECT_EQ(out.err, "") << "the totals, once";
  }
}

// Checks a robot with a controller, which builds a model of the robot.
TEST_F(Lint, AnErrorOfARobotUnderControlIsAFinding) {
  const std::string control = "arm:control('pid', { kp = 1, reference = { q = {0} } })\n";
  const Output out = torsor({"lint", arm(impossible, control + scene)});
  EXPECT_EQ(out.exit_code, 1) << out.err;
  EXPECT_THAT(out.out, HasSubstr("1 error"));
}

TEST_F(Lint, AnAllowedErrorIsAWarning) {
  const std::string robot = arm(impossible, "return arm");
  std::string text = read("arm.lua");
  text.replace(text.find("name = \"arm\""), 12, "name = \"arm\", allow_nonphysical = true");
  const Output out = torsor({"lint", file("arm.lua", text)});
  EXPECT_EQ(out.exit_code, 0) << out.out;
  EXPECT_THAT(out.out, HasSubstr(":3: warning: link 'l': no body has this inertia"));
}

TEST_F(Lint, EveryRobotOfASceneIsLookedAt) {
  const std::string two = file("two.lua", R"(local torsor = require "torsor"
local world = torsor.world{}
for _, name in ipairs{"left", "right"} do
  local arm = torsor.robot{ name = name }
  arm:link{ name = name .. "_l", joint = { "revolute", name = "j", axis = {0, 0, 2} }, inertia = { mass = 1, com = {0.1, 0, 0}, about_com = { Ixx = 0.1, Iyy = 0.1, Izz = 0.1 } } }
  world:add(arm)
end
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 0.01, record = { "left.q" } }
)");
  const Output out = torsor({"lint", two});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_EQ(std::count(out.out.begin(), out.out.end(), '\n'), 3) << out.out;
  EXPECT_THAT(out.out, HasSubstr("robot 'left', joint 'j': its axis"));
  EXPECT_THAT(out.out, HasSubstr("robot 'right', joint 'j': its axis"));
}

// A file with unknown and unused words, and with the same fault in four joints.
constexpr const char* sloppy = R"(<robot name="sloppy">
<gazebo/><gazebo/><transmission/><gazbo/>
<link name="base"/>
<link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="ja" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="jb" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="jc" type="continuous"><parent link="base"/><child link="c"/><axis xyz="0 0 1"/></joint>
<joint name="jd" type="continuous"><parent link="base"/><child link="d"/><axis xyz="0 0 1"/></joint>
</robot>
)";

TEST_F(Lint, ShowsOneLineForManyFindingsOfOneKind) {
  const std::string robot = file("sloppy.urdf", sloppy);
  const Output out = torsor({"lint", robot});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_THAT(
      out.out,
      StartsWith(robot + ":2: error: element <gazbo> in <robot>: unknown (count = 1); did you mean "
                         "'gazebo'?\n"));
  EXPECT_THAT(out.out, HasSubstr(robot + ":5: error: joint 'ja': it moves no inertia"));
  EXPECT_THAT(
      out.out,
      HasSubstr("; the same for 3 more: joint 'jb', joint 'jc', joint 'jd' (--all lists them)\n"));
  EXPECT_THAT(
      out.out,
      HasSubstr(":2: note: 3 words without effect: 2 <gazebo>, 1 <transmission> (see --all)\n"));
  EXPECT_EQ(std::count(out.out.begin(), out.out.end(), '\n'), 4) << out.out;
  const Output all = torsor({"lint", robot, "--all"});
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 9) << all.out;
}

// Checks that other commands warn in one line, and that --strict turns the warning into an error.
TEST_F(Lint, OtherCommandsRejectUnknownWordsIfStrict) {
  const std::string robot = file("sloppy.urdf", sloppy),
                    states = file("states.json", R"({"states": [{}]})");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"eval", robot, "--states", states, "--quantity", "gravity"},
        {"ik", robot, "--frame", "a", "--position", "0,0,0"},
        {"ik", robot, "--frame", "a", "--position", "0,0,0", "--floating-base"}}) {
    const Output out = torsor(command);
    EXPECT_EQ(out.exit_code, 0) << out.err;
    EXPECT_THAT(
        out.err,
        HasSubstr(robot + ": unknown words: element <gazbo> in <robot> (line 2; did you mean "
                          "'gazebo'?); words without effect: <gazebo> (2 times, first in line 2), "
                          "<transmission> (line 2)\n"));
    std::vector<std::string> strict = command;
    strict.push_back("--strict");
    const Output refused = torsor(strict);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err, "torsor: " + robot +
                               ":2: unknown element <gazbo> in <robot>; did you mean 'gazebo'?\n");
  }
}

// Checks that lint and --strict agree about words. An unsupported word that affects the motion is
// an error; other words without effect are not.
TEST_F(Lint, AnUnsupportedWordIsAnErrorAsIfStrict) {
  const auto hinge = [&](const std::string& words) {
    return file(
        "hinge.urdf",
        "<robot name='r'>\n<link name='a'/>\n<link name='b'><inertial><mass value='1'/><inertia "
        "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n<joint name='j' "
        "type='continuous'><parent link='a'/><child link='b'/>\n" +
            words + "</joint></robot>");
  };
  std::string robot = hinge("<dynamics K='1'/>");
  Output out = torsor({"lint", robot});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_EQ(out.out, robot +
                         ":5: error: K of <dynamics>: it describes the motion and is not supported "
                         "(count = 1); model it in Lua, or remove it\n" +
                         robot + ": 1 error, 0 warnings, 0 notes\n");
  out = torsor({"inspect", robot, "--strict"});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_EQ(out.err,
            "torsor: " + robot +
                ":5: K of <dynamics> is not supported; remove it, or read the file without "
                "--strict (in Lua: without strict = true)\n");
  out = torsor({"inspect", robot});
  EXPECT_THAT(out.err,
              HasSubstr("warning: " + robot + ": unsupported words: K of <dynamics> (line 5)\n"));

  robot = hinge("<gazebo/>");
  out = torsor({"lint", robot});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_EQ(out.out, robot + ":5: note: 1 word without effect: 1 <gazebo> (see --all)\n" + robot +
                         ": 0 errors, 0 warnings, 1 note\n");
  EXPECT_EQ(torsor({"inspect", robot, "--strict"}).exit_code, 0);
}

// The file is not a robot, whether the program xacro is installed or not.
TEST_F(Lint, XacroFilesAreExpanded) {
  const Output out = torsor({"lint", file("robot.urdf.xacro", "<robot")});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, HasSubstr("robot.urdf.xacro: "));
  EXPECT_THAT(out.err, HasSubstr("xacro"));
  EXPECT_EQ(std::ranges::count(out.err, '\n'), 1) << out.err;
}

// Checks that the messages name each joint and link without inertia. Quantities that do not need
// M^-1 are still computed.
TEST_F(Lint, ASingularMassMatrixNamesItsJointAndLink) {
  const std::string robot = file("sloppy.urdf", sloppy),
                    states = file("states.json", R"({"states": [{}]})");
  const Output out =
      torsor({"eval", robot, "--states", states, "--quantity", "mass_matrix,forward_dynamics"});
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_THAT(
      out.err,
      HasSubstr(
          "the mass matrix is singular: joint 'jd' moves no inertia; give its link 'd' an "
          "inertia, give the joint an armature, or make it fixed ('torsor lint' lists all such "
          "joints)"));
  EXPECT_THAT(out.out, HasSubstr("\"mass_matrix\":[["));
  EXPECT_THAT(out.out, HasSubstr("\"forward_dynamics\":null"));
  const Output inspected = torsor({"inspect", robot});
  EXPECT_EQ(inspected.exit_code, 1);
  EXPECT_THAT(
      inspected.out,
      HasSubstr("its smallest eigenvalue is 0.0e+00; the mass matrix is singular: joint 'jd'"));
}

TEST_F(Lint, PrintsJson) {
  const std::string robot = arm(impossible, "return arm");
  const Output out = torsor({"lint", robot, "--json"});
  EXPECT_EQ(out.exit_code, 1);
  EXPECT_EQ(out.err, "");
  const Json json = Json::parse(out.out);
  EXPECT_EQ(json["file"], robot);
  EXPECT_EQ(json["errors"], 1);
  ASSERT_EQ(json["findings"].size(), 1u);
  const Json& finding = json["findings"][0];
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["rule"], "inertia.triangle");
  EXPECT_EQ(finding["source"], robot + ":3");
  EXPECT_EQ(finding["numbers"][2]["name"], "I3");
  EXPECT_NEAR(finding["numbers"][2]["value"].get<double>(), 4, 1e-14);
  EXPECT_EQ(finding["numbers"][2]["unit"], "kg m^2");
}

TEST_F(Lint, AFileThatCannotBeReadIsOneLineAndExitStatus2) {
  for (const std::string& broken :
       {std::string("nowhere.urdf"), std::string("arm.txt"),
        file("open.urdf", "<robot name='r'><link"), file("nothing.lua", "return 1")}) {
    const Output out = torsor({"lint", broken});
    EXPECT_EQ(out.exit_code, 2) << broken;
    EXPECT_EQ(out.out, "");
    EXPECT_EQ(std::count(out.err.begin(), out.err.end(), '\n'), 1) << out.err;
    EXPECT_THAT(out.err, HasSubstr(broken.substr(broken.rfind('/') + 1)));
  }
}

TEST_F(Lint, OurOwnRobotsHaveNoErrors) {
  for (const char* robot : {"double_pendulum", "iiwa", "planar", "rx90", "scara"}) {
    const Output out =
        torsor({"lint", source(std::string("scripts/robots/") + robot + ".lua").string()});
    EXPECT_EQ(out.exit_code, 0) << out.out;
  }
}

}  // namespace
}  // namespace torsor::test
