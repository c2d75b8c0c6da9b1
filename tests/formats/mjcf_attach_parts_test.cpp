// <attach> of MJCF: parts of models, and elements that refer to other parts.

#include <gmock/gmock.h>

#include "formats/mjcf_attach.hpp"

namespace torsor::test::mjcf_attach_parts {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::Not;

// An element outside of the tree comes along if all of its references do, as in MuJoCo.
// Without it, the robot can move in another way.
TEST(MjcfAttach, LeavesOutElementsOfPartsThatAreNotAttached) {
  const RobotWith folder(
      "<attach model='part' body='a' prefix='p_'/>",
      arms("<actuator><motor joint='y'/>\n<motor joint='z'/></actuator><tendon><fixed "
           "name='t'><joint joint='x' coef='1'/>\n<joint joint='z' coef='1'/></fixed></tendon>"
           "<equality>\n<tendon tendon1='t'/><joint joint1='x' joint2='y'/>\n<weld "
           "body1='a' body2='world'/></equality><contact><exclude body1='a' "
           "body2='b'/></contact><sensor><framepos objtype='xbody' objname='b'/><framepos "
           "objtype='xbody' objname='a'/></sensor>"));
  const RobotDescription robot = read_robot_file(folder.path(), {.collisions = true});
  ASSERT_EQ(robot.actuators.size(), 1u);
  EXPECT_EQ(robot.actuators[0].joint, "p_y");
  ASSERT_EQ(robot.closures.size(), 1u);
  EXPECT_THAT(robot.closures[0].joints, ElementsAre("p_x", "p_y"));
  const std::string all = warnings(robot);
  for (const char* part :
       {"unsupported words: <fixed> of the joint 'z' that",
        "<motor> of the joint 'z' that is not attached (line 4)", "<tendon> of the tendon 't' that",
        "<weld> of the world of an attached model (line 7)",
        "words without effect: <sensor> (line 7), <exclude> of the body 'b' that",
        "<framepos> of the body 'b' that"})
    EXPECT_THAT(all, HasSubstr(part));
  EXPECT_THAT(all, Not(HasSubstr("unknown")));
}

TEST(MjcfAttach, IsCopiedByReplicate) {
  const RobotWith folder(
      "<replicate count='2'><attach model='part' body='b' prefix='p_'/></replicate>",
      arms("<actuator><motor joint='z'/></actuator>"));
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("p_b0", "p_b1"));
  ASSERT_EQ(robot.actuators.size(), 2u);
  EXPECT_EQ(robot.actuators[1].joint, "p_z1");
}

TEST(MjcfAttach, RejectsStrictlyWhatChangesTheMotion) {
  const auto error = [](const char* elements) {
    return mjcf_error(RobotWith("<attach model='part' body='a' prefix='p_'/>", arms(elements)),
                      {.strict = true, .collisions = true});
  };
  EXPECT_THAT(error("<actuator><motor joint='z'/></actuator>"),
              HasSubstr("part.xml:3: <motor> of the joint 'z' that is not attached is not supp"));
  EXPECT_THAT(
      error("<equality><connect body1='a' body2='world' anchor='0 0 0'/></equality>"),
      HasSubstr("part.xml:3: <connect> of the world of an attached model is not supported"));
  EXPECT_THAT(error("<contact><exclude body1='a' body2='world'/></contact>"),
              HasSubstr("part.xml:3: <exclude> of the world of an attached model is not supp"));
  EXPECT_EQ(error("<contact><exclude body1='a' body2='b'/></contact>"), "");
}

// The name of the world has the prefix "" as well, as in MuJoCo. Other models have no world.
TEST(MjcfAttach, KeepsReferencesToTheWorldWithoutAPrefix) {
  const std::string part = arms(
      "<equality><connect body1='in' body2='world' anchor='0 0 0'/><weld body1='b'/></equality>");
  for (const char* target : {"", "body='a' "}) {
    const RobotWith folder("<body name='o'><joint name='o'/><geom size='1'/><attach model='part' " +
                               std::string(target) + "prefix=''/></body>",
                           part);
    const RobotDescription robot = read_robot_file(folder.path());
    ASSERT_FALSE(robot.closures.empty());
    EXPECT_THAT(robot.closures[0].frames, ElementsAre("in", "world"));
  }
  const RobotDescription other =
      read_robot_file(RobotWith("<attach model='part' prefix='p_'/>", part).path());
  ASSERT_EQ(other.closures.size(), 1u) << "the world is not named";
  EXPECT_THAT(other.closures[0].frames, ElementsAre("p_b", "world"));
}

TEST(MjcfAttach, PrefixesAJointNamedWorld) {
  const RobotWith folder("<attach model='part' body='b' prefix='a_long_prefix_'/>",
                         mjcf("<worldbody><body name='a'><joint name='world'/><geom size='1'/>"
                              "</body><body name='b'><joint name='x'/><geom size='1'/></body>"
                              "</worldbody><actuator><motor joint='world'/></actuator>"));
  EXPECT_THAT(warnings(read_robot_file(folder.path())),
              HasSubstr("<motor> of the joint 'world' that is not attached"));
}

// A body, two copies of another one, and elements that refer to copies by their names in the file
// or by those of the copies.
const std::string replicated = mjcf(
    "<worldbody><body name='a'><joint name='x'/><geom size='1'/></body><body name='b'><geom "
    "size='1'/><replicate count='2' sep='-' offset='1 0 0'><body name='c'><joint name='y'/><geom "
    "size='1'/></body></replicate></body></worldbody><actuator><motor name='m' joint='y-0'/>\n"
    "<motor name='n' joint='y'/><motor name='o' joint='x'/></actuator><equality>\n"
    "<joint joint1='y-0' joint2='y-1'/></equality>");
std::vector<std::string> motors(const RobotDescription& robot) {
  std::vector<std::string> out;
  for (const ActuatorDescription& actuator : robot.actuators)
    out.push_back(actuator.name + ":" + actuator.joint);
  return out;
}

TEST(MjcfAttach, PartsOfFilesWithCopies) {
  RobotDescription robot =
      read_robot_file(RobotWith("<attach model='part' body='a' prefix='p_'/>", replicated).path());
  EXPECT_THAT(motors(robot), ElementsAre("p_o:p_x"));
  EXPECT_THAT(warnings(robot),
              HasSubstr("<motor> of the joint 'y-0' that is not attached (line 2"));
  EXPECT_THAT(warnings(robot), HasSubstr("<motor> of the joint 'y' that is not attached (line 3)"));
  EXPECT_THAT(warnings(robot),
              HasSubstr("<joint> of the joint 'y-0' that is not attached (line 4"));

  robot =
      read_robot_file(RobotWith("<attach model='part' body='b' prefix='p_'/>", replicated).path());
  EXPECT_THAT(motors(robot), ElementsAre("p_m:p_y-0", "p_n-0:p_y-0", "p_n-1:p_y-1"));
  EXPECT_EQ(robot.closures.size(), 1u);
}

// A copy is attached by its own name.
TEST(MjcfAttach, AttachesACopy) {
  const RobotWith folder("<attach model='part' body='c-1' prefix='p_'/>", replicated);
  const RobotDescription robot = read_robot_file(folder.path());
  EXPECT_THAT(links_of(robot), ElementsAre("p_c-1"));
  EXPECT_THAT(motors(robot), ElementsAre("p_n-1:p_y-1"));
  EXPECT_TRUE(robot.closures.empty());
  EXPECT_THAT(mjcf_error(RobotWith("<attach model='part' body='c' prefix='p_'/>", replicated)),
              HasSubstr("the model 'part' has no body 'c'"));
  EXPECT_THAT(links_of(read_robot_file(
                  RobotWith("<replicate count='2'><attach model='part' body='c-1' prefix='p_'/>"
                            "</replicate>",
                            replicated)
                      .path())),
              ElementsAre("p_c-10", "p_c-11"));
}

TEST(MjcfAttach, LimitsTheCopiesOfUnattachedParts) {
  const RobotWith folder("<attach model='part' body='a' prefix='p_'/>",
                         mjcf("<worldbody><body name='a'><geom size='1'/></body>\n<replicate "
                              "count='99999'><replicate count='99999'><body><geom size='1'/></body>"
                              "</replicate></replicate></worldbody>"));
  EXPECT_THAT(
      mjcf_error(folder),
      HasSubstr("part.xml:3: <replicate>: the copies of <replicate> in attached models have "
                "more than 1000000 elements"));
}

}  // namespace
}  // namespace torsor::test::mjcf_attach_parts
