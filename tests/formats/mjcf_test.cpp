// Tests what the MJCF reader makes of elements, beyond the dynamics (mjcf_reference_test.cpp).

#include <gmock/gmock.h>

#include <algorithm>
#include <numbers>

#include "formats/mjcf_file.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre, testing::HasSubstr;

const LinkDescription& link(const RobotDescription& robot, const std::string& name) {
  return *std::ranges::find(robot.links, name, &LinkDescription::name);
}
std::string warnings(const RobotDescription& robot) {
  std::string out;
  for (const std::string& warning : robot.warnings) out += warning + "\n";
  return out;
}

TEST(Mjcf, MakesAChainOfSeveralJointsInABody) {
  const RobotDescription robot = read_mjcf_text(mjcf_body(
      "<joint name='x' type='slide' axis='1 0 0'/><joint/><joint name='z'/><geom size='1'/>"));
  ASSERT_EQ(robot.links.size(), 3u);
  EXPECT_EQ(robot.links[0].name, "b_x");
  EXPECT_EQ(robot.links[1].name, "b_joint1");  // the name of a joint without a name
  EXPECT_EQ(robot.links[1].parent, "b_x");
  EXPECT_EQ(robot.links[2].name, "b");
  EXPECT_EQ(robot.links[0].inertia.m, 0);
  EXPECT_GT(robot.links[2].inertia.m, 0);
  EXPECT_THAT(robot.dof_order, ElementsAre("x", "joint1", "z"));
}

TEST(Mjcf, NamesBodiesAndJointsWithoutAName) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><body><geom size='1'/><joint/></body><body name='body2'/><body><joint "
           "name='joint0'/></body></worldbody>"));
  EXPECT_EQ(robot.links[0].name, "body1");
  EXPECT_EQ(robot.links[0].joint.name, "joint0_2");  // joint0 is the name of another one
  EXPECT_EQ(robot.links[2].name, "body3");
}

TEST(Mjcf, ReadsLimitsSpringsAndFriction) {
  const RobotDescription robot = read_mjcf_text(mjcf_body(
      "<joint name='j' range='-90 45' stiffness='3' springref='30' damping='2' frictionloss='0.5' "
      "armature='0.1'/><joint name='s' type='slide' range='-1 2'/><joint name='free' range='-1 1' "
      "limited='false'/><geom size='1'/>"));
  const JointDescription& hinge = link(robot, "b_j").joint;
  EXPECT_DOUBLE_EQ(hinge.lower, -std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(hinge.upper, std::numbers::pi / 4);
  EXPECT_DOUBLE_EQ(hinge.drives[0].spring.rest, std::numbers::pi / 6);
  EXPECT_EQ(hinge.drives[0].spring.stiffness, 3);
  EXPECT_EQ(hinge.drives[0].friction.coulomb, 0.5);
  EXPECT_EQ(hinge.damping, PerDof(2));
  EXPECT_EQ(hinge.armature, PerDof(0.1));
  EXPECT_EQ(link(robot, "b_s").joint.upper, 2);
  EXPECT_EQ(link(robot, "b").joint.upper, std::numeric_limits<double>::infinity());
}

// The springs of ball and free joints rest at the pose of the file, whatever springref is.
TEST(Mjcf, ReadsSpringsOfBallAndFreeJoints) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><frame pos='1 0 0'><body name='a' pos='0 2 0' axisangle='1 0 0 90'><joint "
           "type='free' stiffness='3'/><geom size='1'/><body name='b'><joint type='ball' "
           "springref='5' stiffness='2'/><geom size='1'/></body></body></frame></worldbody>"));
  const auto &base = link(robot, "a").joint.spring, &ball = link(robot, "b").joint.spring;
  ASSERT_TRUE(base && ball);
  EXPECT_EQ(base->angular, 3);
  EXPECT_EQ(base->linear, 3);
  const double half = std::sqrt(0.5);
  const std::vector<double> rest{1, 2, 0, half, half, 0, 0};
  EXPECT_THAT(base->rest, testing::Pointwise(testing::DoubleNear(1e-15), rest));
  EXPECT_EQ(ball->angular, 2);
  EXPECT_EQ(ball->linear, 0);
  EXPECT_THAT(ball->rest, testing::IsEmpty());
  EXPECT_THAT(warnings(robot), HasSubstr("springref of ball joints (line 2)"));
  EXPECT_THAT(warnings(robot), testing::Not(HasSubstr("stiffness")));
}

TEST(Mjcf, ReadsTheGravity) {
  const std::string body = "<worldbody><body name='b'><joint/><geom size='1'/></body></worldbody>";
  EXPECT_FALSE(read_mjcf_text(mjcf(body)).gravity_W);
  const auto given = read_mjcf_text(mjcf("<option gravity='0 1 -2'/>" + body)).gravity_W;
  ASSERT_TRUE(given);
  EXPECT_EQ(given->y, 1);
  EXPECT_EQ(given->z, -2);
  const auto none =
      read_mjcf_text(mjcf("<option gravity='0 1 -2'><flag gravity='disable'/></option>" + body));
  ASSERT_TRUE(none.gravity_W);
  EXPECT_EQ(norm(*none.gravity_W), 0);
}

TEST(Mjcf, NeedsLimitedWithoutAutolimits) {
  const RobotDescription robot =
      read_mjcf_text(mjcf("<compiler autolimits='false'/><worldbody><body name='b'><joint "
                          "range='-90 45'/><geom size='1'/></body></worldbody>"));
  EXPECT_EQ(robot.links[0].joint.upper, std::numeric_limits<double>::infinity());
}

TEST(Mjcf, MakesFramesOfSites) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><site name='b'/><body name='b'><geom size='1'/><site name='s' pos='1 2 3'/>"
           "<site/></body></worldbody>"));
  ASSERT_EQ(robot.frames.size(), 2u);
  EXPECT_EQ(robot.frames[0].name, "b_2");  // b is the name of a link
  EXPECT_EQ(robot.frames[0].link, "worldbody");
  EXPECT_EQ(robot.frames[1].name, "s");
  EXPECT_EQ(robot.frames[1].X_LF.p.z, 3);
  EXPECT_THAT(warnings(robot), HasSubstr("<site> without a name (line 2)"));
}

TEST(Mjcf, ComposesFrames) {
  const RobotDescription robot = read_mjcf_text(mjcf(
      "<worldbody><frame pos='1 0 0' euler='0 0 90'><body name='b' pos='1 0 0'><frame pos='0 0 "
      "2'><geom size='1' mass='2'/><joint pos='0 1 0'/></frame></body></frame></worldbody>"));
  const auto& screw = std::get<ScrewPlacement>(robot.links[0].joint.placement);
  EXPECT_NEAR(norm(screw.X_PL.p - Vec3<double>{1, 1, 0}), 0, 1e-15);
  EXPECT_NEAR(norm(screw.point - Vec3<double>{0, 1, 2}), 0, 1e-15);
  EXPECT_NEAR(robot.links[0].inertia.h.z, 4, 1e-15);
}

TEST(Mjcf, CountsWhatIsNotUsed) {
  const std::string text =
      mjcf_body("<geom size='1' solref='1 2'/><joint colour='red'/>\n<composite/><plugin/>");
  const RobotDescription robot = read_mjcf_text(text);
  EXPECT_THAT(warnings(robot), HasSubstr("unknown words: attribute colour in <joint> (line 3)"));
  EXPECT_THAT(warnings(robot), HasSubstr("unsupported words: <composite> (line 4), <plugin>"));
  EXPECT_THAT(warnings(robot), HasSubstr("robot.xml:4: <composite> would add bodies and joints"));
  EXPECT_THAT(warnings(robot), HasSubstr("words without effect: solref of <geom> (line 3)"));
  EXPECT_THAT(mjcf_error(MjcfFolder(text), {.strict = true}), HasSubstr("robot.xml:3: unknown"));
}

TEST(Mjcf, NamesTheFileOfAnIncludedLine) {
  MjcfFolder folder(mjcf("<include file='part.xml'/>"));
  folder.add("part.xml",
             "<mujocoinclude><worldbody><body name='b'>\n<geom size='1' x='1'/>\n<joint "
             "type='a'/></body></worldbody></mujocoinclude>");
  EXPECT_THAT(mjcf_error(folder), HasSubstr("part.xml:3: a joint: type of <joint> is 'a'"));
  folder.add("part.xml",
             "<mujocoinclude><worldbody><body name='b'>\n<geom size='1' x='1'/></body>"
             "</worldbody></mujocoinclude>");
  EXPECT_THAT(warnings(read_robot_file(folder.path())),
              HasSubstr("part.xml: unknown words: attribute x in <geom> (line 2)"));
}

TEST(Mjcf, NamesAnIncludedFileBeforeItIsRead) {
  MjcfFolder folder(mjcf("<include file='part.xml'/>"));
  folder.add("part.xml", "<a><worldbody><body><geom size='1'/></body></worldbody></a>");
  std::vector<std::string> files;
  RobotFileOptions options;
  options.meshes.found_file = [&](const std::filesystem::path& file) {
    files.push_back(file.filename().string());
  };
  read_robot_file(folder.path(), options);
  EXPECT_THAT(files, ElementsAre("part.xml"));
}

// Checks that a file that is denied is asked for once, although the paths in a nested file may
// begin at the folders of two files.
TEST(Mjcf, AsksOnceForAFileOutsideItsFolder) {
  MjcfFolder folder(mjcf("<worldbody><body><geom size='1'/></body></worldbody>"));
  const ScratchFolder other;
  const std::string part = other.file("part.xml");
  folder.add("own/deep/inner.xml", "<a><include file='" + part + "'/></a>");
  folder.add("own/deep/robot.xml", mjcf("<include file='inner.xml'/>"));
  std::vector<std::string> asked;
  RobotFileOptions options;
  options.meshes.permission = [&](const std::filesystem::path& file, const std::string&) {
    asked.push_back(file.string());
    return false;
  };
  const std::string robot = folder.folder() + "/own/deep/robot.xml";
  EXPECT_THROW(read_robot_file(robot, options), Error);
  EXPECT_THAT(asked, ElementsAre(std::filesystem::weakly_canonical(part).string()));
}

std::string of_equality(const std::string& elements) {
  return mjcf(
      "<worldbody><body name='a'><joint name='x'/><geom size='1'/><body name='b' pos='1 0 "
      "0'><joint "
      "name='y' type='slide' ref='0.5'/><geom size='1'/></body></body></worldbody><tendon><fixed "
      "name='t'><joint joint='x' coef='2'/><joint joint='y' "
      "coef='-4'/></fixed></tendon><equality>" +
      elements + "</equality>");
}

TEST(Mjcf, MakesClosuresOfEqualities) {
  const RobotDescription robot = read_mjcf_text(
      of_equality("<connect name='c' body1='b' anchor='1 2 3'/><weld body1='a' body2='b'/>"
                  "<joint joint1='y' joint2='x' polycoef='0.1 2'/><tendon tendon1='t'/>"));
  ASSERT_EQ(robot.closures.size(), 4u);
  EXPECT_EQ(robot.closures[0].kind, ClosureKind::spherical);
  EXPECT_EQ(robot.closures[0].frames[1], "world");
  EXPECT_EQ(robot.closures[0].origins[1].p.x, 2);
  EXPECT_EQ(robot.closures[1].kind, ClosureKind::weld);
  EXPECT_EQ(robot.closures[2].kind, ClosureKind::rack);
  EXPECT_THAT(robot.closures[2].joints, ElementsAre("y", "x"));
  EXPECT_DOUBLE_EQ(*robot.closures[2].parameter, 2);
  EXPECT_DOUBLE_EQ(robot.closures[2].offset, 0.6);       // y - 0.5 = 0.1 + 2 x
  EXPECT_EQ(robot.closures[3].kind, ClosureKind::rack);  // 2 x - 4 (y - 0.5) = 0
  EXPECT_DOUBLE_EQ(*robot.closures[3].parameter, 0.5);
  EXPECT_DOUBLE_EQ(robot.closures[3].offset, 0.5);
}

TEST(Mjcf, NotesEqualitiesThatItDrops) {
  const RobotDescription robot = read_mjcf_text(of_equality(
      "<joint joint1='x'/><joint joint1='x' joint2='y' polycoef='0 1 2'/><weld body1='a' "
      "active='false'/>"));
  EXPECT_TRUE(robot.closures.empty());
  EXPECT_THAT(warnings(robot), HasSubstr("<joint> that locks one joint"));
  EXPECT_THAT(warnings(robot), HasSubstr("<joint> with a polynomial that is not linear"));
  EXPECT_THAT(warnings(robot), HasSubstr("<weld> that is not active"));
}

TEST(Mjcf, ReadsCollidersAndTheirMasks) {
  const std::string text = mjcf(
      "<worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.7'/><body name='a'>"
      "<freejoint/><geom name='ga' size='1' contype='2' conaffinity='2'/></body><body name='b'>"
      "<freejoint/><geom name='gb' size='1'/><geom name='none' size='1' contype='0' "
      "conaffinity='0'/></body></worldbody><contact><exclude body1='b' body2='world'/></contact>");
  const RobotDescription robot = read_mjcf_text(text, {.collisions = true});
  EXPECT_EQ(link(robot, "worldbody").collisions[0].shape.kind, ShapeKind::half_space);
  EXPECT_EQ(link(robot, "worldbody").collisions[0].material.mu, 0.7);
  EXPECT_EQ(link(robot, "b").collisions.size(), 1u);
  const auto model = build(robot);
  EXPECT_FALSE(has_contacts(*model));
  EXPECT_TRUE(read_mjcf_text(text).links[0].collisions.empty());
}

TEST(Mjcf, ReadsActuators) {
  const RobotDescription robot = read_mjcf_text(mjcf(
      "<default><motor ctrlrange='-1 1' gear='50'/></default><worldbody><body name='a'><joint "
      "name='x'/><geom size='1'/><body name='b'><joint name='y'/><geom size='1'/><body "
      "name='c'><joint name='z'/><geom size='1'/></body></body></body></worldbody><actuator><motor "
      "name='m' joint='x'/><position joint='y' kp='20' kv='2' gear='1' "
      "forcerange='-5 5'/></actuator>"));
  ASSERT_EQ(robot.actuators.size(), 2u);
  EXPECT_EQ(robot.actuators[0].gear[0], 50);
  EXPECT_EQ(robot.actuators[0].input.upper, 1);
  EXPECT_EQ(robot.actuators[1].name, "actuator1");
  EXPECT_EQ(robot.actuators[1].gain[0], 20);
  EXPECT_EQ(robot.actuators[1].bias[1], -20);
  EXPECT_EQ(robot.actuators[1].bias[2], -2);
  EXPECT_EQ(link(robot, "a").joint.effort_limit, 50);
  EXPECT_EQ(link(robot, "b").joint.effort_limit, 5);
  EXPECT_FALSE(link(robot, "a").joint.drives[0].passive);
  EXPECT_TRUE(link(robot, "c").joint.drives[0].passive);
}

TEST(Mjcf, GivesAServoTheRangeOfItsJoint) {
  const RobotDescription robot = read_mjcf_text(mjcf(
      "<compiler angle='radian'/><worldbody><body name='a'><joint name='x' range='-1 3'/><geom "
      "size='1'/></body></worldbody><actuator><position joint='x' inheritrange='0.5'/>"
      "</actuator>"));
  EXPECT_EQ(robot.actuators[0].input.lower, 0);
  EXPECT_EQ(robot.actuators[0].input.upper, 2);
}

TEST(Mjcf, LeavesOutMeshesThatMuJoCoGenerates) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<asset><mesh name='m' builtin='sphere' params='1'/></asset><worldbody><body name='a'>"
           "<geom type='mesh' mesh='m'/><geom size='1' mass='2'/></body></worldbody>"));
  EXPECT_EQ(robot.links[0].inertia.m, 2);
  EXPECT_TRUE(robot.links[0].shapes_left_out);
  EXPECT_THAT(warnings(robot), HasSubstr("builtin of <mesh>"));
}

TEST(Mjcf, WarnsOfMassesByTheRuleOfMuJoCo2) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><body "
           "name='a'><geom type='mesh' mesh='m'/></body></worldbody>"));
  EXPECT_THAT(warnings(robot),
              HasSubstr("robot.xml:2: the mass of 1 geom follows from the density"));
}

TEST(Mjcf, NotesActuatorsThatItDrops) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><body name='a'><joint name='x'/><geom size='1'/><site name='s'/></body>"
           "</worldbody><actuator><motor site='s'/><muscle joint='x'/><intvelocity joint='x'/>"
           "</actuator>"));
  EXPECT_TRUE(robot.actuators.empty());
  EXPECT_THAT(warnings(robot), HasSubstr("<motor> at a site of a body without a free joint"));
  EXPECT_THAT(warnings(robot), HasSubstr("<muscle>"));
  EXPECT_THAT(warnings(robot), HasSubstr("<intvelocity> with an activation"));
}

TEST(Mjcf, ReadsKeyframesAsStates) {
  const RobotDescription robot = read_mjcf_text(mjcf(
      "<worldbody><body name='a' pos='1 2 3'><freejoint/><geom size='1'/><body><joint "
      "ref='90'/><geom size='1'/></body></body></worldbody><keyframe><key name='up' qpos='0 0 1 "
      "0 0 0 2 0.5' qvel='1 2 3 4 5 6 7'/><key qpos='1'/></keyframe>"));
  ASSERT_EQ(robot.states.size(), 3u);
  EXPECT_EQ(robot.states[0].name, "qpos0");
  EXPECT_THAT(robot.states[0].q, ElementsAre(1, 2, 3, 1, 0, 0, 0, std::numbers::pi / 2));
  EXPECT_THAT(robot.states[1].q, ElementsAre(0, 0, 1, 0, 0, 0, 1, 0.5));
  EXPECT_THAT(robot.states[1].v, ElementsAre(4, 5, 6, -1, -2, 3, 7));  // turned by pi about z
  EXPECT_EQ(robot.states[2].q, robot.states[0].q);
  EXPECT_THAT(warnings(robot), HasSubstr("qpos of <key> with 1 values instead of 8"));
}

TEST(Mjcf, FloatsARobotWithoutJointsAtItsRoot) {
  const std::string text = mjcf(
      "<worldbody><body name='a' pos='1 2 3'><geom size='1'/><body><joint/><geom size='1'/></body>"
      "</body></worldbody>");
  const RobotDescription robot = read_mjcf_text(text, {.floating_base = true});
  EXPECT_EQ(build(robot)->n_v, 7);
  EXPECT_EQ(robot.states[0].q[2], 3);
  EXPECT_THAT(
      mjcf_error(MjcfFolder(mjcf_body("<joint/><geom size='1'/>")), {.floating_base = true}),
      HasSubstr("robot.xml:1: a floating base needs one body in <worldbody>"));
}

TEST(Mjcf, HasVisualsOfTheGroupsThatAreDrawn) {
  const RobotDescription robot = read_mjcf_text(mjcf_body(
      "<geom size='1' rgba='1 0 0 1'/><geom type='box' size='1 2 3' group='3'/><joint/>"));
  ASSERT_EQ(robot.links[0].visuals.size(), 1u);
  EXPECT_EQ(robot.links[0].visuals[0].color->r, 1);
}

}  // namespace
}  // namespace torsor::test
