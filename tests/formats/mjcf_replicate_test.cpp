// Elements of MJCF that refer to copies of <replicate>. The poses and the dynamics of the copies
// are tested in mjcf_reference_test.cpp.

#include <gmock/gmock.h>

#include "formats/mjcf_file.hpp"

namespace torsor::test::mjcf_replicate {
namespace {

using testing::ElementsAre, testing::HasSubstr;

// Two arms with two fingers each, and a body "other". The suffix of an inner copy comes first.
std::string arms(const std::string& elements) {
  return mjcf(
      "<worldbody><replicate count='2' sep='_'><body name='arm'><joint name='a'/><geom name='g' "
      "size='1'/><replicate count='2'><body name='finger'><joint name='f'/><geom name='h' "
      "size='1'/><site name='s'/></body></replicate></body></replicate><body name='other'><joint "
      "name='o'/><geom size='1'/></body></worldbody>\n" +
      elements);
}
std::vector<std::string> joints_of(const ClosureDescription& closure) {
  return closure.joints;
}

TEST(MjcfReplicate, NamesTheCopies) {
  const RobotDescription robot = read_mjcf_text(arms(""));
  EXPECT_THAT(robot.dof_order, ElementsAre("a_0", "f0_0", "f1_0", "a_1", "f0_1", "f1_1", "o"));
  EXPECT_EQ(robot.frames[3].name, "s1_1");
  EXPECT_EQ(robot.frames[3].link, "finger1_1");
}

TEST(MjcfReplicate, HasAsManyDigitsAsTheCount) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><replicate count='10'><body name='b'/></replicate></worldbody>"));
  EXPECT_EQ(robot.links[0].name, "b00");
  EXPECT_EQ(robot.links[9].name, "b09");
}

TEST(MjcfReplicate, CopiesActuatorsAfterTheOthers) {
  const RobotDescription robot = read_mjcf_text(
      arms("<actuator><motor name='m' joint='f'/><motor joint='a_1'/><motor name='last' "
           "joint='o'/></actuator><keyframe><key ctrl='1 2 3 4 5 6'/></keyframe>"));
  std::vector<std::string> joints, names;
  for (const ActuatorDescription& actuator : robot.actuators) {
    joints.push_back(actuator.joint);
    names.push_back(actuator.name);
  }
  EXPECT_THAT(joints, ElementsAre("a_1", "o", "f0_0", "f1_0", "f0_1", "f1_1"));
  EXPECT_THAT(names, ElementsAre("actuator0", "last", "m0_0", "m1_0", "m0_1", "m1_1"));
  EXPECT_THAT(robot.states[1].inputs, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(MjcfReplicate, CopiesEqualities) {
  const RobotDescription robot = read_mjcf_text(
      arms("<tendon><fixed name='t'><joint joint='f' coef='1'/><joint joint='f' "
           "coef='2'/></fixed><fixed name='u'><joint joint='f0_0' coef='1'/><joint joint='f1_0' "
           "coef='2'/></fixed></tendon><equality><connect name='c' body1='arm' anchor='0 0 "
           "0'/><joint joint1='a_0' joint2='f1_0'/><tendon tendon1='u'/><tendon tendon1='t'/>"
           "</equality>"));
  ASSERT_EQ(robot.closures.size(), 4u);
  EXPECT_EQ(robot.closures[0].name, "c_0");
  EXPECT_EQ(robot.closures[0].frames[0], "arm_0");
  EXPECT_EQ(robot.closures[1].frames[0], "arm_1");
  EXPECT_THAT(joints_of(robot.closures[2]), ElementsAre("a_0", "f1_0"));
  EXPECT_THAT(joints_of(robot.closures[3]), ElementsAre("f0_0", "f1_0"));
  // Each copy of the tendon has one joint.
  EXPECT_THAT(robot.warnings[0], HasSubstr("<tendon> that locks one joint (4 times"));
}

// An outer body has no copy of its own for each inner one, and the other body has none at all.
TEST(MjcfReplicate, NotesElementsBetweenCopiesAndOthers) {
  const RobotDescription robot = read_mjcf_text(
      arms("<equality><joint joint1='a' joint2='f'/><joint joint1='f' joint2='o'/></equality>"));
  EXPECT_TRUE(robot.closures.empty());
  EXPECT_THAT(
      robot.warnings[0],
      HasSubstr("<joint> between copies of <replicate> and other elements (2 times, first"));
}

TEST(MjcfReplicate, CopiesPairsOfGeoms) {
  RobotDescription robot = read_mjcf_text(
      arms("<contact><exclude body1='arm' body2='arm'/><exclude body1='finger' body2='other'/>"
           "<pair geom1='h' geom2='h0_0'/></contact>"),
      {.collisions = true});
  EXPECT_THAT(robot.warnings[0],
              HasSubstr("<exclude> between copies of <replicate> and other elements (line 3), "
                        "<pair> between"));
  robot = read_mjcf_text(arms("<contact><exclude body1='finger0_0' body2='arm_1'/></contact>"),
                         {.collisions = true});
  const CollisionPairDescription& rule = robot.collision_pairs.back();
  EXPECT_EQ(rule.names[0], "finger0_0");
  EXPECT_EQ(rule.names[1], "arm_1");
}

TEST(MjcfReplicate, MayHaveNoCopies) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><body name='b'><geom size='1'/></body><replicate count='0'><body name='c'/>"
           "</replicate></worldbody>"));
  EXPECT_EQ(robot.links.size(), 1u);
}

}  // namespace
}  // namespace torsor::test::mjcf_replicate
