// Tests of torsor import and torsor export: files, reports and errors.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Export = Program;
using Import = Program;

constexpr const char* small_arm = R"(<robot name="arm">
  <link name="base"/>
  <link name="l"><inertial><mass value="1"/><origin xyz="0 0 0.3"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="l"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics damping="0.1"/></joint>
  <gazebo/>
</robot>)";

TEST_F(Import, WritesAModuleThatOtherCommandsRead) {
  const std::string robot = file("arm.urdf", small_arm);
  const Output out = torsor({"import", robot, "--out", "arm.lua"});
  EXPECT_EQ(out.exit_code, 0) << out.err;
  EXPECT_THAT(out.out, StartsWith("arm.lua\n1 difference:\n"));
  EXPECT_THAT(out.out, HasSubstr("<gazebo>"));
  const std::string text = read("arm.lua");
  EXPECT_THAT(text, HasSubstr("<gazebo>"));
  EXPECT_THAT(text, HasSubstr("return { build = build }"));
  EXPECT_EQ(torsor({"lint", "arm.lua"}).exit_code, 0);
}

TEST_F(Export, WritesEveryFormat) {
  for (const std::string format : {"urdf", "mjcf", "sdf", "lua"}) {
    const Output out = torsor(
        {"export", source("scripts/robots/scara.lua"), "--to", format, "--out", "scara." + format});
    EXPECT_EQ(out.exit_code, 0) << out.err;
    EXPECT_THAT(out.out, StartsWith("scara." + format + "\n"));
  }
}

TEST_F(Export, RejectsAMechanismThatTheFormatCannotExpress) {
  const std::string screw = file("screw.lua", R"(local torsor = require "torsor"
local r = torsor.robot{ name = "screw" }
r:link{ name = "l", joint = { "helical", name = "j", axis = {0, 0, 1}, pitch = 0.1 },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return r)");
  const Output out = torsor({"export", screw, "--to", "urdf", "--out", "screw.urdf"});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, HasSubstr("helical joint"));
  EXPECT_THAT(out.err, HasSubstr("--lossy"));
  EXPECT_THAT(written(), testing::IsEmpty());
  EXPECT_EQ(torsor({"export", screw, "--to", "urdf", "--out", "screw.urdf", "--lossy"}).exit_code,
            0);
  EXPECT_EQ(torsor({"export", screw, "--to", "sdf", "--out", "screw.sdf"}).exit_code, 0);
}

TEST_F(Export, DoesNotReplaceFiles) {
  const std::string robot = file("arm.urdf", small_arm);
  const Output same = torsor({"export", robot, "--to", "urdf", "--out", "./arm.urdf", "--force"});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, HasSubstr("would replace its own source"));
  const Output by_default = torsor({"export", robot, "--to", "urdf"});
  EXPECT_EQ(by_default.exit_code, 2);
  file("other.urdf", "something");
  const Output other = torsor({"export", robot, "--to", "urdf", "--out", "other.urdf"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("'other.urdf' exists"));
  EXPECT_EQ(read("other.urdf"), "something");
  EXPECT_EQ(torsor({"export", robot, "--to", "urdf", "--out", "other.urdf", "--force"}).exit_code,
            0);
  EXPECT_THAT(read("other.urdf"), HasSubstr("<robot name=\"arm\">"));
}

// Checks that nothing is written if one of several files cannot be written.
TEST_F(Export, WritesAllFilesOrNone) {
  const std::string robot = file("linkage.lua", R"(local torsor = require "torsor"
local p = torsor.params{ frames = 0 }
local r = torsor.robot{ name = "linkage" }
local inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } }
r:link{ name = "a", joint = { "revolute", name = "j", axis = {0, 1, 0} }, inertia = inertia }
r:link{ name = "b", parent = "a", joint = { "revolute", name = "k", axis = {0, 1, 0} },
  inertia = inertia }
r:close{ "spherical", name = "loop", between = { "b", "a" } }
for k = 1, p.frames do r:frame{ name = ("x"):rep(200) .. k, link = "a", origin = { xyz = {0, 0, 0} } } end
return r)");
  const std::vector<std::string> command{"export", robot,    "--to",   "urdf",
                                         "--out",  "r.urdf", "--force"};
  ASSERT_EQ(torsor(command).exit_code, 0);
  const std::vector<std::string> files = written();
  ASSERT_THAT(files, testing::SizeIs(2));
  for (const std::string& blocked : files) {
    for (const std::string& name : files) std::filesystem::remove_all(folder_ / name);
    std::filesystem::create_directories(folder_ / blocked);
    const Output out = torsor(command);
    EXPECT_EQ(out.exit_code, 2);
    EXPECT_THAT(out.err, HasSubstr(blocked + "': it exists and is not a regular file"));
    EXPECT_THAT(written(), testing::IsEmpty());
  }
  // Checks a full disk: the file of closures fits, and the robot file does not.
  for (const std::string& name : files) std::filesystem::remove_all(folder_ / name);
  const Output full =
      run("bash", {"-c",
                   limit_of_file_size() + "exec \"$0\" export \"$1\" --to urdf --out r.urdf "
                                          "--set frames=15000",
                   TORSOR_PROGRAM, robot});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot write 'r.urdf'"));
  EXPECT_THAT(written(), testing::IsEmpty());
}

// Checks that no file that was read is replaced, whatever includes it: a robot file, a script or a
// visual.
TEST_F(Export, NeverReplacesAFileThatItReads) {
  const std::string inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  file("part.xml", "<mujocoinclude><body name='b'>" + inertial + "</body></mujocoinclude>");
  const std::string mjcf =
      file("whole.xml", "<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>");
  file("part.sdf", "<sdf version='1.9'><model name='p'><link name='a'/></model></sdf>");
  const std::string sdf = file("whole.sdf",
                               "<sdf version='1.9'><model name='w'><include><uri>part.sdf</uri>"
                               "</include></model></sdf>");
  file("arm.urdf", small_arm);
  const std::string lua = file("arm.lua", "return require('torsor').urdf('arm.urdf')");
  file("skin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string skin =
      file("skin.urdf",
           "<robot name='s'><link name='a'><visual><geometry><mesh filename='skin.obj'/></geometry>"
           "</visual></link></robot>");
  for (const auto& [robot, out] :
       {std::pair{mjcf, "part.xml"}, {sdf, "part.sdf"}, {lua, "arm.urdf"}, {skin, "skin.obj"}}) {
    const std::string before = read(out);
    const Output run =
        torsor({"export", robot, "--to", "urdf", "--out", out, "--force", "--lossy"});
    EXPECT_EQ(run.exit_code, 2) << out;
    EXPECT_THAT(run.err, HasSubstr("would replace its own source"));
    EXPECT_EQ(read(out), before);
  }
}

// Checks this for the files that a .xacro file includes, with a program that stands in for xacro.
TEST_F(Export, NeverReplacesAFileThatXacroIncludes) {
  const std::string robot = file("arm.xacro", "<robot/>"), part = file("part.xacro", "a part");
  file("arm.txt", small_arm);
  file("bin/xacro", "#!/bin/sh\nif [ $1 = --deps ]; then echo ' " + (folder_ / part).string() +
                        "'; else cat '" + (folder_ / "arm.txt").string() + "'; fi\n");
  std::filesystem::permissions(folder_ / "bin/xacro", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", ((folder_ / "bin").string() + ":" + path).c_str(), 1);
  const Output run = torsor({"export", robot, "--to", "urdf", "--out", "part.xacro", "--force"});
  const Output other = torsor({"export", robot, "--to", "urdf", "--out", "arm.urdf"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("'part.xacro' would replace its own source"));
  EXPECT_EQ(read("part.xacro"), "a part");
  EXPECT_EQ(other.exit_code, 0) << other.err;
}

TEST_F(Export, NeedsLossyForRotorsThatTheFormatCannotExpress) {
  const std::string robot = file("ball.lua", R"(local torsor = require "torsor"
local r = torsor.robot{ name = "ball" }
r:link{ name = "l", joint = { "spherical", name = "j", armature = 0.1 },
  inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return r)");
  const Output out = torsor({"export", robot, "--to", "sdf", "--out", "ball.sdf"});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, HasSubstr("armature"));
}

TEST_F(Export, ReportsOutputThatCannotBeWritten) {
  const std::string robot = file("arm.urdf", small_arm);
  const Output out = torsor({"export", robot, "--to", "urdf", "--out", "/proc/none/arm.urdf"});
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, StartsWith("torsor: "));
}

}  // namespace
}  // namespace torsor::test
