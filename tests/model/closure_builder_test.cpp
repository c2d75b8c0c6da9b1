// Tests of descriptions of gears, racks, cables and of closures with a joint: contradictions,
// redundant gears, and messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Shafts a to e about z, the first two at the base, the others on one another; a slide s.
RobotDescription shafts() {
  RobotDescription robot;
  robot.name = "box";
  std::string parent;
  for (const char* name : {"a", "b", "c", "d", "s"}) {
    LinkDescription link;
    link.name = std::string(name) + "_link";
    link.parent = std::string(name) == "b" ? "" : parent;
    link.joint.name = name;
    link.joint.kind = std::string(name) == "s" ? JointKind::prismatic : JointKind::revolute;
    link.inertia = inertia_about_com(1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0});
    parent = link.name;
    robot.links.push_back(link);
  }
  return robot;
}

ClosureDescription gear(const std::string& name, const std::string& a, const std::string& b,
                        double ratio, double offset = 0) {
  return {.name = name,
          .kind = ClosureKind::gear,
          .parameter = ratio,
          .source = "box.lua:" + std::to_string(name.back() - '0'),
          .joints = {a, b},
          .offset = offset};
}

std::string message(std::vector<ClosureDescription> closures) {
  return error_of([&] {
    RobotDescription robot = shafts();
    robot.closures = std::move(closures);
    build(robot);
  });
}

TEST(Gears, RejectRatiosThatDoNotClose) {
  EXPECT_EQ(message({gear("g1", "a", "b", 2), gear("g2", "b", "a", 2)}),
            "box.lua:2: the closures 'g1', 'g2' contradict each other: their ratios do not close, "
            "so that they keep the joints 'a', 'b' from moving; correct a ratio, or remove one of "
            "them");
  EXPECT_THAT(message({gear("g1", "a", "b", 2), gear("g2", "b", "c", 3), gear("g3", "c", "d", 1),
                       gear("g4", "a", "c", 6.001)}),
              HasSubstr("the closures 'g1', 'g2', 'g3', 'g4' contradict each other"));
}

TEST(Gears, RejectOffsetsThatContradict) {
  EXPECT_EQ(message({gear("g1", "a", "b", 2), gear("g2", "b", "a", 0.5, 0.25)}),
            "box.lua:2: the closures 'g1', 'g2' contradict each other: no position meets all of "
            "their offsets, which differ by 0.25; correct an offset, or remove one of them");
}

TEST(Gears, AllowRedundantOnes) {
  RobotDescription robot = shafts();
  robot.closures = {gear("g1", "a", "b", 53. / 31, 0.1), gear("g2", "b", "c", 17. / 7, -0.2),
                    gear("g3", "a", "c", 53. / 31 * (17. / 7), 0.1 - 0.2 * 53 / 31)};
  EXPECT_EQ(build(robot)->closures.size(), 3u);
}

TEST(Gears, RejectTheMimicThatContradicts) {
  RobotDescription robot = shafts();
  robot.links[1].joint.mimic = Mimic{"a", 2, 0};
  robot.closures = {gear("g1", "a", "b", 2)};
  EXPECT_THAT(error_of([&] { build(robot); }),
              HasSubstr("the closures 'g1', 'mimic of b' contradict each other"));
}

TEST(Gears, RejectJointsThatTheyCannotCouple) {
  EXPECT_THAT(message({gear("g1", "a", "bb", 2)}),
              StartsWith("box.lua:1: closure 'g1': there is no joint or scalar coordinate 'bb'; "));
  EXPECT_THAT(message({gear("g1", "a", "s", 2)}), HasSubstr("use a rack"));
  EXPECT_THAT(message({gear("g1", "a", "a", 2)}), HasSubstr("it names the joint 'a' twice"));
  EXPECT_THAT(message({gear("g1", "a", "b", 0)}), HasSubstr("its ratio is 0"));
  ClosureDescription rack = gear("r1", "a", "s", 0.1);
  rack.kind = ClosureKind::rack;
  EXPECT_THAT(message({rack}), HasSubstr("'a' turns and 's' slides; the first joint of a rack "
                                         "slides, the second one turns"));
  ClosureDescription cable{
      .name = "c1", .kind = ClosureKind::cable, .joints = {"a", "b"}, .radii = {1}};
  EXPECT_THAT(message({cable}), HasSubstr("it has 1 radii for 2 joints"));
  cable.joints = {"a"};
  EXPECT_THAT(message({cable}), HasSubstr("it has 1 joints; a cable has two or more"));
}

TEST(Gears, RejectCarriersThatDoNotFit) {
  ClosureDescription planet = gear("g1", "b", "c", -1);
  planet.carrier = "d";
  EXPECT_THAT(message({planet}), HasSubstr("the joint 'b' is neither on its carrier 'd' nor on the "
                                           "link to which the carrier is attached"));
  planet.carrier = "s";
  EXPECT_THAT(message({planet}), HasSubstr("its carrier 's' is prismatic"));
  planet.carrier = "b";
  EXPECT_THAT(message({planet}), HasSubstr("its carrier is one of its joints"));
  RobotDescription robot = shafts();
  robot.links[1].joint.placement = ScrewPlacement{.X_PL = translation<double>({1, 0, 0})};
  planet.carrier = "a";
  planet.joints = {"b", "c"};
  robot.closures = {planet};
  EXPECT_THAT(error_of([&] { build(robot); }),
              HasSubstr("the joint 'b' and its carrier 'a' do not turn about the same axis"));
}

TEST(CutJoints, RejectWhatHasNoJoint) {
  RobotDescription robot = shafts();
  ClosureDescription weld{
      .name = "w1", .frames = {"b_link", "d_link"}, .joint = JointDescription{}};
  robot.closures = {weld};
  EXPECT_THAT(error_of([&] { build(robot); }),
              StartsWith("closure 'w1': a weld closure has no coordinate, and no friction"));
  for (LinkDescription& link : robot.links) link.inertia = SpatialInertia<double>::zero();
  robot.closures[0].kind = ClosureKind::revolute;
  EXPECT_THAT(error_of([&] { build(robot); }),
              HasSubstr("neither body has an inertia along the motion of the joint"));
}

// The joint gets the name of the closure, its coordinate comes last, and gears can use it.
TEST(CutJoints, AreJoints) {
  RobotDescription robot = shafts();
  JointDescription options;
  options.lower = -1, options.upper = 1;
  robot.closures = {{.name = "pin",
                     .kind = ClosureKind::revolute,
                     .frames = {"b_link", "s_link"},
                     .joint = options},
                    gear("g1", "a", "pin", 2)};
  const auto model = build(robot);
  EXPECT_EQ(model->coordinate_names(), (std::vector<std::string>{"a", "b", "c", "d", "s", "pin"}));
  EXPECT_EQ(model->joints.back().upper, 1);
  EXPECT_EQ(model->closures[0].kind, ClosureKind::weld);
  EXPECT_EQ(model->closures[0].cut->joint, 5);
  EXPECT_TRUE(model->drives.back().passive);
  EXPECT_EQ(model->robots[0].n_v, 6);
}

// Between robots: the joint belongs to the robot of the first frame.
TEST(CutJoints, ConnectRobots) {
  RobotDescription left = shafts(), right = shafts();
  left.name = "left", right.name = "right";
  ModelBuilder builder;
  builder.add(left);
  builder.add(right, translation<double>({1, 0, 0}));
  builder.close({.name = "pin",
                 .kind = ClosureKind::spherical,
                 .frames = {"left.s_link", "right.s_link"},
                 .joint = JointDescription{}});
  const auto model = builder.build();
  EXPECT_EQ(model->robots[0].n_v, 8);
  EXPECT_EQ(model->robots[1].n_v, 5);
  EXPECT_EQ(model->joints[5].name, "left.pin");
  double mass = 0;
  for (const auto& M : model->inertia_B) mass += M.m;
  EXPECT_DOUBLE_EQ(mass, 10);
}

}  // namespace
}  // namespace torsor::test
