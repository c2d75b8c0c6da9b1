// <attach> of MJCF. The poses and the dynamics of attached models are tested in
// mjcf_reference_test.cpp.

#include <gmock/gmock.h>

#include <algorithm>

#include "formats/mjcf_attach.hpp"

namespace torsor::test::mjcf_attach {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::Not;

TEST(MjcfAttach, PrefixesTheNamesOfEachCopy) {
  const RobotWith folder(
      "<body name='o'><geom size='1'/><attach model='part' body='a' prefix='l_'/></body><attach "
      "model='part' prefix='r_'/>",
      arms("<actuator><motor name='m' joint='x'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("o", "l_a", "l_in", "r_a", "r_in", "r_b"));
  EXPECT_THAT(robot.dof_order, ElementsAre("l_x", "l_y", "r_x", "r_y", "r_z"));
  EXPECT_EQ(robot.links[1].parent, "o");
  EXPECT_EQ(robot.links[3].parent, "");
  ASSERT_EQ(robot.frames.size(), 2u);
  EXPECT_EQ(robot.frames[0].name, "l_s");
  EXPECT_EQ(robot.frames[0].link, "l_a");
  ASSERT_EQ(robot.actuators.size(), 2u);
  EXPECT_EQ(robot.actuators[0].name, "l_m");
  EXPECT_EQ(robot.actuators[1].joint, "r_x");
  EXPECT_THAT(warnings(robot), IsEmpty());
  build(robot);
}

// Elements of the main file refer to attached ones by their full names.
TEST(MjcfAttach, ElementsOutsideReferToAttachedOnes) {
  MjcfFolder folder(
      mjcf("<asset><model file='part.xml'/></asset><worldbody><attach model='arms' "
           "prefix='p/'/></worldbody><actuator><motor joint='p/y'/></actuator><equality><joint "
           "joint1='p/x' joint2='p/z'/></equality><keyframe><key qpos='1 2 3'/></keyframe>"));
  folder.add("part.xml", "<mujoco model='arms'>" + arms().substr(std::string("<mujoco>").size()));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_EQ(robot.actuators.at(0).joint, "p/y");
  EXPECT_THAT(robot.closures.at(0).joints, ElementsAre("p/x", "p/z"));
  EXPECT_THAT(robot.states.at(1).q, ElementsAre(1, 2, 3));
}

// A name that exists nowhere in the attached model is an error in its file.
TEST(MjcfAttach, NamesTheFileOfAnUnknownName) {
  const RobotWith folder("<attach model='part' body='a' prefix='p_'/>",
                         arms("<actuator><motor joint='w'/></actuator>"));
  EXPECT_THAT(mjcf_error(folder), HasSubstr("part.xml:3: a motor: there is no joint 'p_w'"));
}

// Each model has its own units, classes and folder of meshes.
TEST(MjcfAttach, KeepsTheSettingsOfEachModel) {
  MjcfFolder folder(mjcf(
      "<compiler meshdir='none'/><asset><model name='part' file='sub/part.xml'/></asset>"
      "<default><joint damping='7'/><default class='c'><joint damping='8'/></default></default>"
      "<worldbody><body name='o' childclass='c'><joint name='j' range='0 90'/><geom size='1'/>"
      "<attach model='part' body='in' prefix='p_'/></body></worldbody>"));
  folder.add("sub/part.xml",
             mjcf("<compiler angle='radian' meshdir='meshes' autolimits='false'/><option "
                  "gravity='1 2 3'/><default class='top'><default class='c'><joint damping='2'/>"
                  "</default></default><asset><mesh file='m.obj'/></asset><worldbody><body "
                  "name='out' childclass='c'><body name='in'><joint name='j' limited='true' "
                  "range='0 1.5'/><joint name='k' class='top' range='0 1'/><geom type='mesh' "
                  "mesh='m'/></body></body></worldbody><keyframe><key name='home'/></keyframe>"));
  folder.add("sub/meshes/m.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const RobotDescription robot = read_robot_file(folder.path());
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[0].joint.damping, PerDof(8));
  EXPECT_DOUBLE_EQ(robot.links[0].joint.upper, std::numbers::pi / 2);
  EXPECT_EQ(robot.links[1].joint.damping, PerDof(2));
  EXPECT_EQ(robot.links[1].joint.upper, 1.5);
  EXPECT_EQ(robot.links[2].joint.damping, PerDof(0));
  EXPECT_EQ(robot.links[2].joint.upper, std::numeric_limits<double>::infinity());
  EXPECT_GT(robot.links[2].inertia.m, 0);
  EXPECT_FALSE(robot.gravity_W) << "the main file has none";
  EXPECT_THAT(warnings(robot), HasSubstr("<option> of an attached model (line 2)"));
}

// The classes of a model are its own, even if the main file has some of the same names. Spheres of
// radius 0.1: 4.19 kg with a density of 1000.
TEST(MjcfAttach, ClassesOfAModelAreItsOwn) {
  MjcfFolder folder(
      mjcf("<asset><model name='part' file='part.xml'/></asset><default><geom size='.1' "
           "density='1000'/><default class='soft'><geom density='2000'/></default></default>"
           "<worldbody><body name='o'><joint/><geom class='soft'/><geom class='thin'/><attach "
           "model='part' prefix=''/></body></worldbody>"));
  folder.add("part.xml", mjcf("<default class='top'><geom size='.1' density='10'/><default "
                              "class='soft'><geom density='20'/></default><default "
                              "class='thin'><geom density='30'/></default></default><worldbody>"
                              "<body name='a'><joint/><geom class='main'/></body><body name='b' "
                              "childclass='soft'><joint/><geom/></body></worldbody>"));
  const RobotDescription robot = read_robot_file(folder.path());
  ASSERT_EQ(robot.links.size(), 3u);
  const double volume = 4e-3 * std::numbers::pi / 3;
  EXPECT_NEAR(robot.links[0].inertia.m, 2030 * volume, 1e-14);
  EXPECT_NEAR(robot.links[1].inertia.m, 10 * volume, 1e-14);
  EXPECT_NEAR(robot.links[2].inertia.m, 20 * volume, 1e-14);
}

TEST(MjcfAttach, NamesClassesThatAModelDoesNotHave) {
  const RobotWith folder("<attach model='part' prefix='p_'/>",
                         mjcf("<default><default class='soft'/></default><worldbody><body name='a' "
                              "childclass='sofd'><geom size='1'/></body></worldbody>"));
  EXPECT_THAT(mjcf_error(folder), HasSubstr("part.xml:2: body 'p_a': there is no class 'p_sofd' of "
                                            "defaults; did you mean 'p_soft'?"));
}

// The prefixes of models in attached models come one after another. Unused words of a file that is
// attached twice are listed once.
TEST(MjcfAttach, AttachesModelsInModels) {
  RobotWith folder(
      "<body name='o'><geom size='1'/><attach model='part' prefix='l_'/><attach model='part' "
      "body='2_tip' prefix='r_'/></body>",
      mjcf("<asset><model name='tips' file='tip.xml'/></asset><worldbody><body name='hand'><joint "
           "name='j'/><geom size='1'/><attach model='tips' prefix='1_'/><attach model='tips' "
           "prefix='2_'/></body></worldbody>"));
  folder.add(
      "tip.xml",
      mjcf("<worldbody><body name='tip'><joint name='t'/><geom size='1' "
           "solmix='1'/></body></worldbody><actuator><motor name='m' joint='t'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("o", "l_hand", "l_1_tip", "l_2_tip", "r_2_tip"));
  std::vector<std::string> joints;
  for (const ActuatorDescription& actuator : robot.actuators) joints.push_back(actuator.joint);
  EXPECT_THAT(joints, ElementsAre("l_1_t", "l_2_t", "r_2_t"));
  EXPECT_THAT(warnings(robot),
              HasSubstr("tip.xml: unsupported words: <motor> of the joint 't' that is not attached "
                        "(line 2); words without effect: solmix of <geom> (line 2)\n"));
}

// A part of the same model is not attached: its masses are missing.
TEST(MjcfAttach, WarnsOfAttachWithoutAModel) {
  const RobotWith folder("<body name='a'><geom size='1'/></body><attach body='a' prefix='p_'/>",
                         arms());
  const std::string all = warnings(read_robot_file(folder.path()));
  EXPECT_THAT(all, HasSubstr("<attach> of a part of the same model (line 3)"));
  EXPECT_THAT(all, HasSubstr("robot.xml:3: <attach> would add bodies and joints"));
  EXPECT_THAT(mjcf_error(folder, {.strict = true}), HasSubstr("robot.xml:3: <attach> of a part"));
}

TEST(MjcfAttach, NamesFilesBeforeTheyAreRead) {
  const RobotWith folder("<attach model='part' prefix='p_'/>", "<mujoco");
  std::vector<std::string> files;
  RobotFileOptions options;
  options.meshes.found_file = [&](const std::filesystem::path& file) {
    files.push_back(file.filename().string());
  };
  EXPECT_THAT(mjcf_error(folder, options), HasSubstr("part.xml:1:"));
  EXPECT_THAT(files, ElementsAre("part.xml"));
}

}  // namespace
}  // namespace torsor::test::mjcf_attach
