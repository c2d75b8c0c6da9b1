// <attach> of MJCF: keyframes.

#include <gmock/gmock.h>

#include "formats/mjcf_attach.hpp"

namespace torsor::test::mjcf_attach_keys {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

// The keys of attached models have qpos0 and inputs of 0 elsewhere. The order of qpos is depth
// first, joints of a body before those of its bodies.
TEST(MjcfAttach, ReadsKeysOfModels) {
  MjcfFolder folder(
      mjcf("<asset><model name='part' file='part.xml'/></asset><worldbody><body name='o'><joint "
           "name='o' ref='9'/><geom size='1'/></body><attach model='part' prefix='p_'/><attach "
           "model='part' prefix='q_'/></worldbody><actuator><motor joint='o'/></actuator>"));
  folder.add("part.xml",
             mjcf("<compiler angle='radian'/><asset><model name='tip' file='tip.xml'/></asset>"
                  "<worldbody><body><frame><body><joint name='c' type='slide' ref='0.5'/><geom "
                  "size='1'/></body></frame><attach model='tip' prefix='t_'/><joint "
                  "name='a' type='ball'/><frame><joint name='b'/></frame><geom size='1'/></body>"
                  "</worldbody><actuator><motor joint='b'/></actuator><keyframe><key name='home' "
                  "qpos='0 0 2 0 3 4 5' qvel='1 2 3 4 5 6' ctrl='7 8'/><key/></keyframe>"));
  folder.add("tip.xml", mjcf("<worldbody><body><joint name='d'/><geom size='1'/></body></worldbody>"
                             "<actuator><motor joint='d'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(robot.dof_order,
              ElementsAre("o", "p_a", "p_b", "p_c", "p_t_d", "q_a", "q_b", "q_c", "q_t_d"));
  ASSERT_EQ(robot.states.size(), 5u);
  const double ref = 9 * std::numbers::pi / 180;
  EXPECT_EQ(robot.states[1].name, "p_home");
  EXPECT_THAT(robot.states[1].q, ElementsAre(ref, 0, 0, 1, 0, 3, 4, 5, 1, 0, 0, 0, 0, 0.5, 0));
  EXPECT_THAT(robot.states[1].v, ElementsAre(0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0));
  std::vector<std::string> joints;
  for (const ActuatorDescription& actuator : robot.actuators) joints.push_back(actuator.joint);
  EXPECT_THAT(joints, ElementsAre("o", "p_b", "p_t_d", "q_b", "q_t_d"));
  EXPECT_THAT(robot.states[1].inputs, ElementsAre(0, 7, 8, 0, 0));
  EXPECT_EQ(robot.states[2].name, "p_key1");
  EXPECT_EQ(robot.states[2].q, robot.states[0].q);
  EXPECT_THAT(robot.states[3].q, ElementsAre(ref, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 1, 0, 3, 4, 5));
  EXPECT_THAT(robot.states[3].inputs, ElementsAre(0, 0, 0, 7, 8));
  EXPECT_THAT(warnings(robot), IsEmpty());
}

// Keys of the main file may lack the values of attached models, as in MuJoCo.
TEST(MjcfAttach, ExtendsKeysOfTheMainFile) {
  MjcfFolder folder(
      mjcf("<asset><model name='part' file='part.xml'/></asset><worldbody><body "
           "name='o'><joint name='o'/><geom size='1'/></body><attach model='part' "
           "prefix='p_'/></worldbody><actuator><motor joint='o'/></actuator>"
           "<keyframe><key qpos='1' ctrl='2'/>\n<key qpos='1 2 3 4 5'/></keyframe>"));
  folder.add("part.xml", arms("<actuator><motor joint='z'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(robot.states.at(1).q, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(robot.states.at(1).inputs, ElementsAre(2, 0));
  EXPECT_THAT(warnings(robot), HasSubstr("qpos of <key> with 5 values instead of 4 (line 3)"));
  EXPECT_THAT(warnings(robot),
              HasSubstr("robot.xml:2: qpos of <key> with 1 value instead of 4; the "
                        "rest is that of qpos0, as in 1 other attribute"));
}

TEST(MjcfAttach, WarnsOfKeysOfParts) {
  const std::string part = arms("<keyframe>\n<key qpos='1 2 3'/></keyframe>");
  for (const char* elements :
       {"<attach model='part' body='b' prefix='p_'/>",
        "<replicate count='2'><attach model='part' prefix='p_'/></replicate>"}) {
    const RobotDescription robot = read_robot_file(RobotWith(elements, part).path());
    EXPECT_EQ(robot.states.size(), 1u);
    EXPECT_THAT(warnings(robot),
                HasSubstr("<key> of a model that is attached in part or copied (line 4)"));
  }
}

}  // namespace
}  // namespace torsor::test::mjcf_attach_keys
