// The <flag> elements of MJCF, which switch off parts of a file, and parts that the reader notes.

#include <gmock/gmock.h>

#include <algorithm>

#include "formats/mjcf_file.hpp"
#include "torsor/formats/export/export.hpp"
#include "torsor/formats/lint/lint.hpp"

namespace torsor::test::mjcf_flags {
namespace {

using testing::HasSubstr, testing::Not;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A robot with a part for each flag.
std::string robot_with(const std::string& flags) {
  return mjcf(
      "<option><flag " + flags +
      "/></option>\n<worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='a'><joint "
      "name='x' range='-1 1' stiffness='2' damping='3' frictionloss='4'/><geom size='1'/><body "
      "name='b'><joint name='y'/><geom size='1'/></body></body></worldbody>\n<equality><joint "
      "joint1='x' joint2='y'/></equality>\n<actuator><motor joint='x' ctrlrange='-5 5'/>"
      "</actuator>");
}
RobotDescription read_with(const std::string& flags) {
  return read_mjcf_text(robot_with(flags), {.collisions = true});
}
std::string warnings(const RobotDescription& robot) {
  std::string out;
  for (const std::string& warning : robot.warnings) out += warning + "\n";
  return out;
}
const LinkDescription& link(const RobotDescription& robot, const std::string& name) {
  return *std::ranges::find(robot.links, name, &LinkDescription::name);
}

// The parts of a robot that are there.
struct Parts {
  bool equality, friction, limit, contact, spring, damper, actuator, input_limit;
  bool operator==(const Parts&) const = default;
};
void PrintTo(const Parts& parts, std::ostream* out) {
  for (const bool part : {parts.equality, parts.friction, parts.limit, parts.contact, parts.spring,
                          parts.damper, parts.actuator, parts.input_limit})
    *out << part;
}
Parts parts_of(const RobotDescription& robot) {
  const JointDescription& joint = link(robot, "a").joint;
  const bool has_actuator = !robot.actuators.empty();
  return {.equality = !robot.closures.empty(),
          .friction = joint.drives[0].friction.coulomb > 0,
          .limit = joint.upper<infinity, .contact = has_contacts(*build(robot)),
                               .spring = joint.drives[0].spring.stiffness> 0,
          .damper = joint.damping.of(0) > 0,
          .actuator = has_actuator,
          .input_limit = has_actuator && robot.actuators[0].input.upper < infinity};
}

TEST(MjcfFlags, SwitchPartsOff) {
  const Parts all{true, true, true, true, true, true, true, true};
  const auto without = [&](auto... parts) {
    Parts out = all;
    ((out.*parts = false), ...);
    return out;
  };
  EXPECT_EQ(parts_of(read_with("")), all);
  EXPECT_EQ(parts_of(read_with("equality='enable' limit='enable' passive='enable'")), all);
  EXPECT_EQ(parts_of(read_with("equality='disable'")), without(&Parts::equality));
  EXPECT_EQ(parts_of(read_with("frictionloss='disable'")), without(&Parts::friction));
  EXPECT_EQ(parts_of(read_with("limit='disable'")), without(&Parts::limit));
  EXPECT_EQ(parts_of(read_with("contact='disable'")), without(&Parts::contact));
  EXPECT_EQ(parts_of(read_with("spring='disable'")), without(&Parts::spring));
  EXPECT_EQ(parts_of(read_with("damper='disable'")), without(&Parts::damper));
  EXPECT_EQ(parts_of(read_with("passive='disable'")), without(&Parts::spring, &Parts::damper));
  EXPECT_EQ(parts_of(read_with("clampctrl='disable'")), without(&Parts::input_limit));
  EXPECT_EQ(parts_of(read_with("actuation='disable'")),
            without(&Parts::actuator, &Parts::input_limit));
  EXPECT_EQ(parts_of(read_with("constraint='disable'")),
            without(&Parts::equality, &Parts::friction, &Parts::limit, &Parts::contact));
}

TEST(MjcfFlags, NoteWhatTheySwitchOff) {
  const std::string all =
      warnings(read_with("constraint='disable' passive='disable' actuation='disable'"));
  for (const char* part :
       {"contacts of the geoms, which a <flag> switches off (line 2)", "range of <joint>, which",
        "stiffness of <joint>, which", "damping of <joint>, which",
        "frictionloss of <joint>, which", "<joint>, which a <flag> switches off (line 4)",
        "<motor>, which a <flag> switches off (line 5)"})
    EXPECT_THAT(all, HasSubstr(part));
  EXPECT_EQ(warnings(read_with("equality='enable'")), "");
}

TEST(MjcfFlags, WithoutActuationLeaveNoMotors) {
  const RobotDescription robot = read_with("actuation='disable'");
  EXPECT_TRUE(link(robot, "a").joint.drives[0].passive);
  EXPECT_TRUE(link(robot, "b").joint.drives[0].passive);
}

TEST(MjcfNotes, PropertiesOfJointsWithSeveralDof) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><body name='a'>\n<joint name='x' type='free' stiffness='1' armature='2' "
           "damping='3' frictionloss='4' springref='5'/><geom size='1'/><body name='b'>\n<joint "
           "type='ball' stiffness='1' armature='2' damping='3' frictionloss='4' range='0 "
           "1'/><geom size='1'/></body></body></worldbody>"));
  const std::string text = warnings(robot);
  for (const char* part :
       {"armature of free joints (line 3)",
        "world axes of the frictionloss of free joints (friction acts along body axes) (line 3)",
        "range of ball joints (line 4)", "words without effect: springref of free joints (line 3)"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, testing::Not(HasSubstr("stiffness")));
  const auto model = build(robot);
  for (int k = 0; k < model->n_v; ++k) {
    EXPECT_EQ(model->damping[size_t(k)], 3);
    EXPECT_EQ(model->linear_friction(k).coulomb, 4);
    EXPECT_EQ(model->armature[size_t(k)], k < 6 ? 0 : 2);
  }
}

TEST(MjcfNotes, ActuatorsWhoseTorquesDependOnThePosition) {
  const RobotDescription robot = read_mjcf_text(mjcf(
      "<worldbody><body name='a'><freejoint name='x'/><geom size='1'/><body name='b'><joint "
      "name='y' type='ball'/><geom size='1'/><site name='s'/></body></body></worldbody>"
      "<actuator>\n<motor joint='x' gear='1 0 0 0 0 0'/>\n<motor jointinparent='x' gear='0 0 0 "
      "1 0 0'/>\n<motor jointinparent='y'/>\n<position joint='y'/>\n<motor joint='y' gear='1 0 "
      "0 1'/>\n<motor site='s'/></actuator>"));
  ASSERT_EQ(robot.actuators.size(), 1u);
  const std::string text = warnings(robot);
  for (const char* part : {"<motor> along the world axes of a free joint (line 3)",
                           "<motor> with an axis in the frame of the parent (2 times, first in",
                           "<position> that measures the position of a ball joint (line 6)",
                           "gear of <motor> with more than 3 numbers for its joint (line 7)",
                           "<motor> at a site of a body without a free joint (line 8)"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(MjcfNotes, MotorsOfSomeDof) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><body name='a'><joint name='x' type='ball'/><geom size='1'/></body>"
           "</worldbody><actuator><motor joint='x' gear='0 1 0'/></actuator>"));
  const auto& drives = robot.links[0].joint.drives;
  EXPECT_TRUE(drives[0].passive);
  EXPECT_FALSE(drives[1].passive);
  EXPECT_TRUE(drives[2].passive);
}

TEST(MjcfNotes, SensorsOfUnknownElements) {
  const std::string text = mjcf(
      "<worldbody><body name='a'><joint name='x'/><geom name='g' size='1'/><site "
      "name='s'/></body></worldbody><sensor>\n<gyro site='t'/>\n<jointpos joint='x'/><framepos "
      "objtype='geom' objname='g'/><framepos objtype='body' objname='q' reftype='camera' "
      "refname='c'/>\n<tendonpos tendon='u'/><actuatorpos actuator='m'/></sensor>");
  const RobotDescription robot = read_mjcf_text(text);
  EXPECT_THAT(warnings(robot),
              HasSubstr("unknown words: site 't' in <gyro> (line 3), body 'q' in <framepos> (line "
                        "4), tendon 'u' in <tendonpos> (line 5), actuator 'm' in <actuatorpos>"));
  EXPECT_EQ(mjcf_error(MjcfFolder(text), {.strict = true}),
            "robot.xml:3: unknown site 't' in <gyro>");
}

TEST(MjcfNotes, FusedBodiesOnlyIfTheFileAsksForThem) {
  const std::string body = "<worldbody><body name='a'><joint/><geom size='1'/></body></worldbody>";
  EXPECT_EQ(warnings(read_mjcf_text(mjcf("<compiler fusestatic='false'/>" + body))), "");
  EXPECT_THAT(warnings(read_mjcf_text(mjcf("<compiler fusestatic='true'/>" + body))),
              HasSubstr("words without effect: fusestatic of <compiler>"));
}

// A geom and its body may have the same name. The rules for geoms are not for their bodies.
TEST(MjcfContactNames, OfGeomsAndBodiesDiffer) {
  const RobotDescription robot = read_mjcf_text(
      mjcf("<worldbody><body name='a'><freejoint/><geom name='a' size='1' contype='0' "
           "conaffinity='0'/><geom name='c' size='1'/></body><body name='b'><freejoint/><geom "
           "name='b' size='1'/></body></worldbody><contact><pair geom1='a' geom2='c'/></contact>"),
      {.collisions = true});
  EXPECT_EQ(link(robot, "a").collisions[0].name, "a_2");
  const auto model = build(robot);
  EXPECT_FALSE(may_collide(*model, 0, 2));  // the masks of geom a
  EXPECT_TRUE(may_collide(*model, 1, 2));
}

// The time for many unknown words must not grow with the square of their number.
TEST(MjcfNotes, ManyDistinctWords) {
  std::string elements;
  constexpr int count = 60'000;
  for (int k = 0; k < count; ++k) elements += "<unknown" + std::to_string(k) + "/>\n";
  const RobotDescription robot = read_mjcf_text(mjcf_body("<geom size='1'/>" + elements));
  EXPECT_EQ(robot.unused.size(), size_t(count));
  EXPECT_THAT(warnings(robot), HasSubstr("and 59900 others"));
  EXPECT_GE(lint(robot).size(), size_t(count));
  EXPECT_EQ(losses_of_reading(robot).size(), size_t(count));
}

}  // namespace
}  // namespace torsor::test::mjcf_flags
