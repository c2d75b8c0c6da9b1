// Tests of what exported files contain: rotors, names, closed loops, and the effect of losses.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "formats/exported_robot.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test::export_details {
namespace {

using exporting::Effect;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LinkDescription link(const std::string& name, const std::string& parent, JointKind kind,
                     const Pose<double>& X_PL = Pose<double>::identity()) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.kind = kind;
  if (kind != JointKind::fixed) out.joint.name = "joint_of_" + name;
  out.joint.placement = ScrewPlacement{.X_PL = X_PL, .axis = {0, 0, 1}};
  out.inertia = inertia_about_com(1, {0.1, 0.2, 0.3}, {0.2, 0.21, 0.22, 0, 0, 0});
  return out;
}

RobotDescription robot_of(std::vector<LinkDescription> links) {
  RobotDescription out;
  out.name = "r";
  out.links = std::move(links);
  return out;
}

// Writes a robot and reads it again.
struct RoundTrip {
  RoundTrip(const RobotDescription& robot, const char* format)
      : written(write(robot, *robot_target(format), folder.path())),
        report(written.report(1000)),
        read(read_again(*robot_target(format), folder.path())) {}
  ScratchFolder folder;
  ExportedRobot written;
  std::string report;
  RobotDescription read;
};

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

// A parallelogram in the plane y = 0. A revolute joint with a rotor closes its loop.
TEST(ExportRotors, OfClosuresAreWritten) {
  RobotDescription robot =
      robot_of({link("a", "", JointKind::revolute), link("b", "a", JointKind::revolute),
                link("c", "", JointKind::revolute)});
  const Vec3<double> at[] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  for (size_t k = 0; k < 3; ++k)
    robot.links[k].joint.placement = ScrewPlacement{.X_PL = translation(at[k]), .axis = {0, 1, 0}};
  ClosureDescription pin{.name = "pin", .kind = ClosureKind::revolute};
  pin.frames[0] = "b", pin.frames[1] = "c";
  pin.axes[0] = pin.axes[1] = {0, 1, 0};
  pin.origins[0] = translation<double>({1, 0, 0});
  pin.origins[1] = translation<double>({0, 0, 1});
  pin.joint.emplace();
  pin.joint->drives.resize(1);
  pin.joint->drives[0].motor.rotor_inertia = 0.01;
  pin.joint->drives[0].motor.gear_ratio = 10;
  robot.closures = {pin};
  EXPECT_TRUE(RoundTrip(robot, "urdf").written.changes_mechanism());
  EXPECT_TRUE(RoundTrip(robot, "mjcf").written.changes_mechanism());
  const RoundTrip trip(robot, "sdf");
  EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
  EXPECT_THAT(trip.report, HasSubstr("armature: written as <drake:rotor_inertia>"));
  EXPECT_EQ(trip.read.closures.at(0).joint.value().armature.of(0), 1);
  EXPECT_EQ(build(trip.read)->armature, build(robot)->armature);
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

// A chain of three links that is closed at q = 0 by a closure between c and the world or a.
RobotDescription loop(ClosureKind kind, const std::string& first, const std::string& second) {
  RobotDescription robot = robot_of(
      {link("a", "", JointKind::revolute, translation<double>({0.1, 0, 0}) * rotation_y(0.3)),
       link("b", "a", JointKind::revolute, translation<double>({0.2, 0.1, 0}) * rotation_x(0.4)),
       link("c", "b", JointKind::revolute, translation<double>({0, 0.3, 0.1}) * rotation_z(0.5))});
  Pose<double> X_WL[3];
  for (size_t k = 0; k < 3; ++k)
    X_WL[k] = (k == 0 ? Pose<double>::identity() : X_WL[k - 1]) *
              std::get<ScrewPlacement>(robot.links[k].joint.placement).X_PL;
  const auto pose_of = [&](const std::string& name) {
    return name == "world" ? Pose<double>::identity() : X_WL[name[0] - 'a'];
  };
  const Pose<double> X_WE = translation<double>({0.5, 0.2, 0.1}) * rotation_x(1.1);
  ClosureDescription closure;
  closure.name = "loop";
  closure.kind = kind;
  closure.frames[0] = first;
  closure.frames[1] = second;
  const Vec3<double> axis{0, 0.6, 0.8};
  for (size_t k = 0; k < 2; ++k) {
    closure.origins[k] = inverse(pose_of(closure.frames[k])) * X_WE;
    closure.axes[k] = axis;
  }
  if (kind == ClosureKind::universal) closure.axes[1] = {1, 0, 0};
  if (kind == ClosureKind::screw) closure.parameter = 0.1;
  robot.closures = {closure};
  return robot;
}

// Returns the axis and the origin of a closure in both bodies, whose order may have changed.
std::vector<Vec3<double>> geometry(const Closure& closure, bool swapped) {
  std::vector<Vec3<double>> out;
  for (const Pose<double>* X :
       {swapped ? &closure.X_BB : &closure.X_BA, swapped ? &closure.X_BA : &closure.X_BB}) {
    out.push_back(X->p);
    out.push_back({X->R.m[2], X->R.m[5], X->R.m[8]});
  }
  return out;
}

TEST(ExportLoops, AreJointsOfSdf) {
  for (const ClosureKind kind :
       {ClosureKind::weld, ClosureKind::revolute, ClosureKind::prismatic, ClosureKind::screw,
        ClosureKind::universal, ClosureKind::spherical})
    for (const auto& [first, second] :
         {std::pair{"a", "c"}, {"c", "a"}, {"world", "c"}, {"c", "world"}}) {
      SCOPED_TRACE(std::string(traits(kind).name) + " " + first + " " + second);
      const RobotDescription robot = loop(kind, first, second);
      const RoundTrip trip(robot, "sdf");
      EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
      EXPECT_LT(difference_of_dynamics(robot, trip.read, trip.report), 1e-12);
      const auto a = build(robot), b = build(trip.read);
      ASSERT_EQ(b->closures.size(), 1u);
      EXPECT_EQ(b->closures[0].kind, kind);
      EXPECT_NEAR(b->closures[0].parameter, a->closures[0].parameter, 1e-15);
      const auto before = geometry(a->closures[0], std::string_view(second) == "world"),
                 after = geometry(b->closures[0], false);
      const bool has_axes = kind != ClosureKind::weld && kind != ClosureKind::spherical;
      for (size_t k = 0; k < before.size(); k += has_axes ? 1 : 2)
        EXPECT_LT(norm(before[k] - after[k]), 1e-12) << k;
    }
}

TEST(ExportLoops, ThatSdfCannotExpressAreReported) {
  RobotDescription robot = loop(ClosureKind::revolute, "a", "c");
  robot.closures[0].origins[0] = translation<double>({0, 0, 1e-6}) * robot.closures[0].origins[0];
  const RoundTrip open(robot, "sdf");
  EXPECT_TRUE(open.written.changes_mechanism());
  EXPECT_THAT(open.report, HasSubstr("the loop is open at q = 0"));
  for (const ClosureKind kind : {ClosureKind::cylindrical, ClosureKind::point_on_plane})
    EXPECT_TRUE(RoundTrip(loop(kind, "a", "c"), "sdf").written.changes_mechanism());
  // Two bodies that float: the joint would be part of the tree.
  RobotDescription bodies =
      robot_of({link("a", "", JointKind::floating), link("c", "", JointKind::floating)});
  bodies.closures = robot.closures;
  for (Pose<double>& X : bodies.closures[0].origins) X = Pose<double>::identity();
  const RoundTrip floating(bodies, "sdf");
  EXPECT_TRUE(floating.written.changes_mechanism());
  EXPECT_THAT(floating.report, HasSubstr("between two trees"));
}

TEST(ExportLoops, KeepFrictionAndLimitsOfTheirJoints) {
  RobotDescription robot = loop(ClosureKind::revolute, "a", "c");
  JointDescription& joint = robot.closures[0].joint.emplace();
  joint.kind = JointKind::revolute;
  joint.damping = 0.3;
  joint.lower = -0.5;
  joint.drives = {Drive{.spring = {3, 0.1}, .passive = true}};
  const RoundTrip trip(robot, "sdf");
  EXPECT_THAT(trip.report, Not(HasSubstr("joint of a closure")));
  EXPECT_EQ(unsaid(robot, trip.read, trip.report), "");
  ASSERT_TRUE(trip.read.closures.at(0).joint);
  EXPECT_EQ(trip.read.closures[0].joint->lower, -0.5);
  robot.closures[0].joint->drives[0].stop = Stop{0.5};
  EXPECT_THAT(RoundTrip(robot, "sdf").report, HasSubstr("written without motor, stop"));
}

TEST(ExportLoops, GearsAreMimicsInSdf) {
  RobotDescription robot = loop(ClosureKind::weld, "a", "c");
  ClosureDescription gear;
  gear.name = "gear";
  gear.kind = ClosureKind::gear;
  gear.joints = {"joint_of_b", "joint_of_a"};
  gear.parameter = -2;
  gear.offset = 0.1;
  robot.closures = {gear};
  const RoundTrip trip(robot, "sdf");
  EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
  ASSERT_TRUE(trip.read.links.at(1).joint.mimic);
  EXPECT_EQ(trip.read.links[1].joint.mimic->joint, "joint_of_a");
  EXPECT_EQ(trip.read.links[1].joint.mimic->ratio, -2);
  EXPECT_EQ(trip.read.links[1].joint.mimic->offset, 0.1);
  // The same joints a second time: not a mimic of a mimic.
  gear.name = "again";
  robot.closures.push_back(gear);
  const RoundTrip twice(robot, "sdf");
  EXPECT_TRUE(twice.written.changes_mechanism());
  build(twice.read);
}

TEST(ExportLoops, HaveNamesOfTheirOwnInMjcf) {
  RobotDescription robot = loop(ClosureKind::revolute, "a", "c");
  robot.closures.push_back(robot.closures[0]);
  robot.closures[1].name = "loop_2";
  robot.frames = {{"loop_a", "b", Pose<double>::identity(), ""}};
  const RoundTrip trip(robot, "mjcf");
  EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
  const auto a = build(robot), b = build(trip.read);
  ASSERT_EQ(b->closures.size(), 4u);  // a revolute closure is two points
  for (const Closure& closure : b->closures) {
    const Closure& first = a->closures[0];
    const Pose<double> X = inverse(first.X_BA) * closure.X_BA;
    EXPECT_LT(std::hypot(X.p.x, X.p.y), 1e-12) << "it is on the axis of the closure";
  }
}

TEST(ExportLoops, GearsWithACarrierAreTendonsInMjcf) {
  RobotDescription robot =
      robot_of({link("carrier", "", JointKind::revolute), link("sun", "", JointKind::revolute),
                link("planet", "carrier", JointKind::revolute, translation<double>({0.1, 0, 0}))});
  ClosureDescription gear;
  gear.name = "gear";
  gear.kind = ClosureKind::gear;
  gear.joints = {"joint_of_planet", "joint_of_sun"};
  gear.parameter = -2;
  gear.carrier = "joint_of_carrier";
  robot.closures = {gear};
  const RoundTrip trip(robot, "mjcf");
  EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
  const auto a = build(robot), b = build(trip.read);
  const auto factors = [](const Model& model) {
    std::map<std::string, double> out;
    for (const ClosureTerm& term : model.closures.at(0).terms)
      out[model.joint_of_dof(term.dof).name] = term.factor;
    const double scale = out.at("joint_of_planet");
    for (auto& [name, factor] : out) factor /= scale;
    return out;
  };
  EXPECT_EQ(factors(*a), factors(*b));
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
