// Tests of what exported files contain: rotors, names, and the effect of losses.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "formats/small_robots.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test::export_details {
namespace {

using namespace small_robots;
using exporting::Effect;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Motor& motor_of(const RobotDescription& robot, size_t link) {
  return robot.links.at(link).joint.drives.at(0).motor;
}

TEST(ExportRotors, AreWrittenForDrake) {
  RobotDescription robot =
      robot_of({link("a", "", JointKind::revolute), link("b", "a", JointKind::prismatic)});
  robot.links[0].joint.armature = 0.3;
  robot.links[0].joint.lower = -1, robot.links[0].joint.upper = 1;
  robot.links[1].joint.drives.resize(1);
  robot.links[1].joint.drives[0].motor.rotor_inertia = 1e-4;
  robot.links[1].joint.drives[0].motor.gear_ratio = 100;
  for (const char* format : {"urdf", "sdf"}) {
    SCOPED_TRACE(format);
    const RoundTrip trip(robot, format);
    EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
    EXPECT_THAT(trip.report, HasSubstr("written as <drake:rotor_inertia>"));
    EXPECT_THAT(testing::PrintToString(trip.read.warnings), Not(HasSubstr("drake")));
    const auto a = build(robot), b = build(trip.read);
    EXPECT_EQ(a->armature, b->armature);
    const size_t last = trip.read.links.size() - 1;
    EXPECT_EQ(motor_of(trip.read, last).rotor_inertia, 1e-4);
    EXPECT_EQ(motor_of(trip.read, last).gear_ratio, 100);
    EXPECT_LT(difference_of_dynamics(robot, trip.read, trip.report), 1e-12);
  }
}

TEST(ExportRotors, ThatCannotBeWrittenChangeTheMechanism) {
  RobotDescription ball = robot_of({link("a", "", JointKind::spherical)});
  ball.links[0].joint.armature = 0.3;
  RobotDescription elastic = robot_of({link("a", "", JointKind::revolute)});
  elastic.links[0].joint.drives.resize(1);
  elastic.links[0].joint.drives[0].elasticity = Elasticity{100, 0, 0};
  elastic.links[0].joint.drives[0].motor.rotor_inertia = 0.01;
  RobotDescription coupled =
      robot_of({link("a", "", JointKind::revolute), link("b", "a", JointKind::revolute)});
  Motor motor;
  motor.rotor_inertia = 0.01;
  coupled.transmissions = {
      {{"joint_of_a", "joint_of_b"}, {{0.1, 0.02}, {0, 0.1}}, {motor, motor}, ""}};
  for (const RobotDescription& robot : {ball, elastic, coupled})
    EXPECT_TRUE(RoundTrip(robot, "sdf").written.changes_mechanism());
  for (const RobotDescription& robot : {elastic, coupled})
    for (const char* format : {"urdf", "mjcf"})
      EXPECT_TRUE(RoundTrip(robot, format).written.changes_mechanism()) << format;
  coupled.transmissions[0].motors = {{}, {}};
  EXPECT_FALSE(RoundTrip(coupled, "sdf").written.changes_mechanism());
  EXPECT_FALSE(RoundTrip(elastic, "lua").written.changes_mechanism());
}

// Returns the lines of a report about rotors, without the name of the format.
std::string lines_about_rotors(const std::string& report, const std::string& format) {
  std::string out;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);)
    if (is_about_rotors(line) || line.find("rotor") != line.npos || line.find("gear") != line.npos)
      out += replaced(line, format, "FORMAT") + "\n";
  return out;
}

TEST(ExportRotors, HaveTheSameNotesInUrdfAndSdf) {
  const auto with = [](JointKind kind, const std::function<void(JointDescription&)>& change) {
    RobotDescription robot = robot_of({link("a", "", kind), link("b", "a", JointKind::revolute)});
    change(robot.links[0].joint);
    return robot;
  };
  const auto with_motor = [&](const std::function<void(Drive&)>& change) {
    return with(JointKind::revolute, [&](JointDescription& joint) {
      joint.drives.resize(1);
      joint.drives[0].motor.rotor_inertia = 0.01;
      joint.drives[0].motor.gear_ratio = -50;
      change(joint.drives[0]);
    });
  };
  const auto armature = [](JointDescription& joint) { joint.armature = 0.3; };
  const RobotDescription robots[] = {
      with(JointKind::revolute, armature),
      with(JointKind::prismatic, armature),
      with(JointKind::cylindrical, armature),
      with(JointKind::revolute,
           [](JointDescription& joint) {
             joint.second_axis = {1, 0, 0};
             joint.armature = PerDof({0.1, 0.2});
           }),
      with_motor([](Drive&) {}),
      with_motor([](Drive& drive) { drive.motor.body = true; }),
      with_motor([](Drive& drive) {
        drive.elasticity = Elasticity{100, 0, 0};
      }),
  };
  for (const RobotDescription& robot : robots) {
    const RoundTrip urdf(robot, "urdf"), sdf(robot, "sdf");
    const std::string lines = lines_about_rotors(urdf.report, "URDF");
    EXPECT_NE(lines, "");
    EXPECT_EQ(lines, lines_about_rotors(sdf.report, "SDF"));
  }
}

// Drake squares the ratio, so that its sign has no effect there. Here it is that of the motor.
TEST(ExportRotors, KeepTheSignOfTheRatio) {
  RobotDescription robot = robot_of({link("a", "", JointKind::revolute)});
  robot.links[0].joint.drives.resize(1);
  robot.links[0].joint.drives[0].motor.rotor_inertia = 0.01;
  robot.links[0].joint.drives[0].motor.gear_ratio = -50;
  for (const char* format : {"urdf", "sdf"}) {
    SCOPED_TRACE(format);
    const RoundTrip trip(robot, format);
    EXPECT_EQ(motor_of(trip.read, trip.read.links.size() - 1).gear_ratio, -50);
    EXPECT_EQ(build(trip.read)->armature[0], 25);
  }
}

TEST(ExportRotors, OfJointsThatHaveNoneAreNoted) {
  const ScratchFolder folder;
  const auto unused = [&](const std::string& type) {
    const RobotDescription robot = read_robot_file(folder.write(
        "r.sdf",
        "<sdf version='1.9' xmlns:drake='x'><model name='m'><link name='a'/><joint name='j' "
        "type='" +
            type +
            "'><parent>world</parent><child>a</child><drake:rotor_inertia>2"
            "</drake:rotor_inertia></joint></model></sdf>"));
    EXPECT_EQ(robot.unused.size(), 1u);
    EXPECT_EQ(robot.unused.at(0).what, "<drake:rotor_inertia> of a " + type + " joint");
    return robot.unused.at(0).kind;
  };
  EXPECT_EQ(unused("ball"), UnusedWord::Kind::unsupported);
  EXPECT_EQ(unused("fixed"), UnusedWord::Kind::ignored);
  const RobotDescription urdf = read_robot_file(folder.write(
      "r.urdf",
      "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent "
      "link='a'/><child link='b'/></joint><transmission><type>SimpleTransmission</type><joint "
      "name='j'/><actuator name='m'><drake:rotor_inertia value='2'/></actuator></transmission>"
      "</robot>"));
  ASSERT_EQ(urdf.unused.size(), 1u);
  EXPECT_EQ(urdf.unused[0].what, "<drake:rotor_inertia> of a fixed joint");
  EXPECT_EQ(urdf.unused[0].kind, UnusedWord::Kind::ignored);
}

TEST(ExportRotors, AreReadFromFilesOfDrake) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& transmission) {
    return read_robot_file(folder.write(
        "r.urdf",
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
        "<parent link='a'/><child link='b'/></joint>\n" +
            transmission + "</robot>"));
  };
  const std::string simple = "<type>transmission_interface/SimpleTransmission</type>",
                    rotor = "<drake:rotor_inertia value='2'/><drake:gear_ratio value='3'/>";
  const auto actuator = [](const std::string& content) {
    return "<actuator name='m'>" + content + "</actuator>";
  };
  const RobotDescription robot =
      read("<transmission>" + simple + "<joint name='j'/>" + actuator(rotor) + "</transmission>");
  EXPECT_THAT(robot.unused, IsEmpty());
  EXPECT_EQ(motor_of(robot, 1).inertia(), 18);
  const RobotDescription other = read("<transmission><type>FourBar</type><joint name='j'/>" +
                                      actuator(rotor) + "</transmission><transmission>" + simple +
                                      "<joint name='k'/>" + actuator(rotor) + "</transmission>");
  ASSERT_EQ(other.unused.size(), 2u);
  EXPECT_EQ(other.unused[0].what, "<transmission>");
  EXPECT_THAT(other.unused[1].what, HasSubstr("'k', which is not a joint"));
  EXPECT_THAT(
      [&] {
        read("<transmission>" + simple + actuator("<drake:rotor_inertia/>") + "</transmission>");
      },
      testing::ThrowsMessage<Error>(HasSubstr("r.urdf:2: <transmission>: ")));
}

TEST(ExportNames, AreThoseThatSdfAllows) {
  RobotDescription robot = robot_of({link("world", "", JointKind::revolute),
                                     link("__model__", "world", JointKind::fixed),
                                     link("arm::link", "world", JointKind::revolute),
                                     link("arm_link", "world", JointKind::revolute),
                                     link("joint_of_arm_link", "arm_link", JointKind::revolute)});
  robot.name = "world";
  robot.frames = {{"joint_of_world", "world", Pose<double>::identity(), ""}};
  robot.links[2].joint.mimic = Mimic{"joint_of_world", 2, 0};
  robot.dof_order = {"joint_of_arm_link", "joint_of_world", "joint_of_arm::link",
                     "joint_of_joint_of_arm_link"};
  const RoundTrip trip(robot, "sdf");
  std::vector<std::string> links;
  for (const LinkDescription& each : trip.read.links) links.push_back(each.name);
  EXPECT_THAT(links, testing::ElementsAre("world_link", "__model___link", "arm_link_2", "arm_link",
                                          "joint_of_arm_link_link"));
  EXPECT_THAT(trip.report, HasSubstr("'arm::link' to 'arm_link_2'"));
  EXPECT_THAT(trip.report, HasSubstr("'joint_of_world' to 'joint_of_world_frame'"));
  EXPECT_THAT(trip.report, HasSubstr("'world' to 'world_robot'"));
  EXPECT_THAT(trip.read.dof_order,
              testing::ElementsAre("joint_of_arm_link", "joint_of_world", "joint_of_arm_link_2",
                                   "joint_of_joint_of_arm_link"));
  ASSERT_TRUE(trip.read.links[2].joint.mimic);
  EXPECT_EQ(trip.read.links[2].joint.mimic->joint, "joint_of_world");
  EXPECT_EQ(build(trip.read)->n_v, build(robot)->n_v);
}

TEST(ExportLimits, OfPassiveJointsAreNotMotorsOfMjcf) {
  RobotDescription robot =
      robot_of({link("a", "", JointKind::revolute), link("b", "a", JointKind::revolute)});
  for (LinkDescription& each : robot.links) each.joint.effort_limit = 3;
  robot.links[1].joint.drives = {Drive{.passive = true}};
  const RoundTrip trip(robot, "mjcf");
  EXPECT_EQ(trip.read.links.at(0).joint.effort_limit, 3);
  EXPECT_EQ(unsaid(robot, trip.read, trip.report), "");
  EXPECT_THAT(trip.report, HasSubstr("this joint has none (joint 'joint_of_b' 3)"));
}

// The gravity of a file is lost in formats without a world, unless it is the default.
TEST(ExportGravity, AffectsTheForces) {
  RobotDescription robot = robot_of({link("a", "", JointKind::revolute)});
  for (const auto& [g, effect] : {std::pair{-1.62, Effect::forces}, {-9.81, Effect::nothing}}) {
    robot.gravity_W = Vec3<double>{0, 0, g};
    EXPECT_EQ(RoundTrip(robot, "mjcf").read.gravity_W->z, g);
    const RoundTrip trip(robot, "urdf");
    const auto loss = std::ranges::find_if(trip.written.losses, [](const exporting::Loss& each) {
      return each.what.starts_with("gravity");
    });
    ASSERT_NE(loss, trip.written.losses.end());
    EXPECT_EQ(loss->effect, effect);
  }
}

}  // namespace
}  // namespace torsor::test::export_details
