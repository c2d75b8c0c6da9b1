// Tests of torsor.mjcf, and of the actuators and named states of a robot file in scripts.

#include <gmock/gmock.h>

#include "scripting/script_file.hpp"

namespace torsor::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre, testing::HasSubstr;

constexpr const char* arm =
    "<mujoco model='arm'><worldbody><body name='a'><joint name='x'/><geom size='.1'/><body "
    "name='b' pos='1 0 0'><joint name='y' axis='0 1 0'/><geom size='.1'/></body></body></worldbody>"
    "<actuator><motor name='m' joint='x' gear='20' ctrlrange='-1 2'/><position joint='y' kp='30'/>"
    "</actuator><keyframe><key name='home' qpos='0.25 -0.5' qvel='1 2' ctrl='0 0.75'/></keyframe>"
    "</mujoco>";

// Runs a script next to arm.xml. It returns the robot `arm`.
RobotDescription robot_of(const ScriptFolder& folder, const std::string& statements) {
  folder.write("arm.xml", arm);
  return Script().load_robot(
      folder.write("s.lua", "local torsor = require 'torsor'\n" + statements + "\nreturn arm"));
}
std::string failure(const std::string& statements) {
  const ScriptFolder folder;
  try {
    (void)robot_of(folder, statements);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MjcfInScripts, GivesTheRobotOfTheFile) {
  const ScriptFolder folder;
  const RobotDescription robot = robot_of(folder, "local arm = torsor.mjcf('arm.xml')");
  EXPECT_EQ(robot.name, "arm");
  EXPECT_THAT(robot.dof_order, ElementsAre("x", "y"));
}

TEST(MjcfInScripts, GivesActuators) {
  EXPECT_EQ(failure("local arm = torsor.mjcf('arm.xml')\n"
                    "local m, p = table.unpack(arm:actuators())\n"
                    "assert(m.name == 'm' and m.joint == 'x' and m.kind == 'motor')\n"
                    "assert(m.gear[1] == 20 and m.gain[1] == 1 and m.bias[2] == 0)\n"
                    "assert(m.input[1] == -1 and m.input[2] == 2 and m.force == nil)\n"
                    "assert(p.name == 'actuator1' and p.gain[1] == 30 and p.bias[2] == -30)"),
            "");
}

TEST(MjcfInScripts, SetsTheStateOfAKeyframe) {
  EXPECT_EQ(failure("local arm = torsor.mjcf('arm.xml')\n"
                    "local names = arm:keyframes()\n"
                    "assert(#names == 2 and names[1] == 'qpos0' and names[2] == 'home')\n"
                    "local state, inputs = arm:keyframe('home')\n"
                    "assert(state.q[1] == 0.25 and state.v[2] == 2 and inputs[2] == 0.75)\n"
                    "arm:set(arm:keyframe('home'))"),
            "");
  EXPECT_THAT(failure("local arm = torsor.mjcf('arm.xml')\narm:keyframe('hame')"),
              HasSubstr("arm:keyframe: robot 'arm' has no state 'hame'; did you mean 'home'?"));
}

TEST(MjcfInScripts, ReadsOnlyFilesOfTheFormat) {
  EXPECT_THAT(failure("local arm = torsor.urdf('arm.xml')"),
              HasSubstr("torsor.urdf reads .urdf files; this is a MJCF file"));
  EXPECT_THAT(failure("local arm = torsor.mjcf('arm.urdf')"),
              HasSubstr("torsor.mjcf reads .xml, .mjcf files; this is a URDF file"));
  EXPECT_THAT(failure("local arm = torsor.mjcf('arm.sdf')"),
              HasSubstr("torsor.mjcf reads .xml, .mjcf files"));
}

TEST(MjcfInScripts, NeedsPermissionForIncludedAndAttachedFilesElsewhere) {
  const ScriptFolder folder;
  const fs::path part = folder.write(
      "others/part.xml",
      "<mujoco model='m'><worldbody><body><geom size='1'/></body></worldbody></mujoco>");
  const fs::path script =
      folder.write("own/s.lua", "local torsor = require 'torsor'\nreturn torsor.mjcf('r.xml')");
  const std::string attach = "<worldbody><attach model='m' prefix='p'/></worldbody>";
  for (const std::string& text :
       {std::string("<include file='../others/part.xml'/>"),
        "<asset><model name='m' file='../others/part.xml'/></asset>" + attach,
        "<asset><model file='../others/part.xml'/></asset>" + attach}) {
    folder.write("own/r.xml", "<mujoco>" + text + "</mujoco>");
    try {
      (void)Script().load_robot(script);
      FAIL() << "nothing was thrown for " << text;
    } catch (const PermissionNeeded& needed) {
      EXPECT_EQ(needed.request.file, fs::canonical(part));
    }
  }
}

}  // namespace
}  // namespace torsor::test
