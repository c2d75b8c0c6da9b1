// Tests of reading URDF files: two robots that are checked in detail, rules of the specification,
// and long files.

#include "torsor/formats/robot_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "formats/urdf_file.hpp"

namespace torsor {
namespace {

using test::read_text;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

const ScrewPlacement& placement(const LinkDescription& link) {
  return std::get<ScrewPlacement>(link.joint.placement);
}

void expect_vector(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

void expect_sym(const Sym3<double>& a, const Sym3<double>& b, double tolerance) {
  expect_vector({a.xx, a.yy, a.zz}, {b.xx, b.yy, b.zz}, tolerance);
  expect_vector({a.xy, a.xz, a.yz}, {b.xy, b.xz, b.yz}, tolerance);
}

// A prismatic joint that carries an arm. In the file, the joint of the arm comes first, and the
// base comes last.
const std::string slider_and_arm = fmt::format(R"(<?xml version="1.0"?>
<robot name="crane">
  <joint name="swing" type="revolute">
    <origin xyz="0.1 0.2 0.3" rpy="0 0 {0}"/>
    <parent link="cart"/><child link="arm"/>
    <axis xyz="3 0 -4"/>
    <limit lower="-1.5" upper="+2" velocity="3" effort="40"/>
    <dynamics damping="0.25" friction="0.5"/>
  </joint>
  <link name="arm">
    <inertial>
      <origin xyz="0 2 0" rpy="0 0 {0}"/>
      <mass value="3"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/>
    </inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="cart"/>
    <limit velocity="1" effort="10" lower=" 0.5	" upper="1e0"/>
  </joint>
  <link name="cart"/>
  <link name="rail"/>
</robot>
)",
                                               pi / 2);

TEST(Urdf, ReadsASliderThatCarriesAnArm) {
  const test::UrdfFile file(slider_and_arm);
  const RobotDescription robot = read_robot_file(file.path());
  EXPECT_EQ(robot.name, "crane");
  EXPECT_THAT(robot.dof_order, ElementsAre("swing", "slide"));
  ASSERT_EQ(robot.links.size(), 3u);
  const LinkDescription &arm = robot.links[0], &cart = robot.links[1], &rail = robot.links[2];
  EXPECT_EQ(arm.name + cart.name + rail.name, "armcartrail");
  EXPECT_EQ(arm.source, file.path() + ":10");
  EXPECT_EQ(cart.source, file.path() + ":21");
  EXPECT_EQ(rail.source, file.path() + ":22");
  EXPECT_EQ(arm.parent, "cart");
  EXPECT_EQ(cart.parent, "rail");
  EXPECT_EQ(rail.parent, "");
  EXPECT_EQ(rail.joint.name, "");
  EXPECT_EQ(rail.joint.kind, JointKind::fixed);

  EXPECT_EQ(arm.joint.name, "swing");
  EXPECT_EQ(arm.joint.kind, JointKind::revolute);
  EXPECT_EQ(arm.joint.lower, -1.5);
  EXPECT_EQ(arm.joint.upper, 2);
  EXPECT_EQ(arm.joint.velocity_limit, 3);
  EXPECT_EQ(arm.joint.effort_limit, 40);
  EXPECT_EQ(arm.joint.damping, 0.25);
  EXPECT_EQ(arm.joint.armature, 0);
  EXPECT_EQ(cart.joint.kind, JointKind::prismatic);
  EXPECT_EQ(cart.joint.lower, 0.5);
  EXPECT_EQ(cart.joint.upper, 1);
  EXPECT_EQ(cart.joint.damping, 0);

  // A quarter turn about z maps x to y. The axis (3, 0, -4) is relative to the arm and is not
  // normalised.
  expect_vector(placement(arm).axis, {3, 0, -4}, 0);
  expect_vector(placement(arm).point, {0, 0, 0}, 0);
  EXPECT_FALSE(placement(arm).at_home);
  expect_vector(placement(arm).X_PL.p, {0.1, 0.2, 0.3}, 0);
  expect_vector(placement(arm).X_PL.R * Vec3<double>{1, 0, 0}, {0, 1, 0}, eps);
  expect_vector(placement(cart).axis, {1, 0, 0}, 0);
  expect_vector(placement(cart).X_PL * Vec3<double>{1, 2, 3}, {1, 2, 3}, 0);

  // The inertial axes x', y' are y and -x of the arm: I_yy = I_x'x', I_xx = I_y'y', I_xy = -I_x'y',
  // I_yz = I_x'z', I_xz = -I_y'z'. The COM is (0, 2, 0) and the mass is 3, so Steiner's theorem
  // adds 12 to xx and zz.
  EXPECT_EQ(arm.inertia.m, 3);
  expect_vector(arm.inertia.h, {0, 6, 0}, 0);
  expect_sym(arm.inertia.I, {1.5 + 12, 1, 2 + 12, -0.1, -0.3, 0.2}, 16 * eps);
  EXPECT_EQ(cart.inertia.m, 0);
  expect_sym(cart.inertia.I, {0, 0, 0, 0, 0, 0}, 0);

  EXPECT_THAT(robot.warnings, ElementsAre());
}

// A turntable without position limits, a boom that is fixed to it at three angles, and a tool that
// mimics the turntable.
const std::string turntable = R"(<robot name="turntable" version="1.0">
<link name="base"/><link name="table"/><link name="boom"/><link name="tool"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="table"/>
<limit lower="-1" upper="1" velocity="5" effort="6"/></joint>
<joint name="weld" type="fixed"><parent link="table"/><child link="boom"/>
<origin rpy="0.3 -0.7 1.1"/><axis xyz="0 0 0"/><limit effort="0" velocity="0"/></joint>
<joint name="wrist" type="revolute"><parent link="boom"/><child link="tool"/>
<axis xyz="1e-200 0 0"/><mimic joint="turn" multiplier="-1"/></joint>
</robot>)";

TEST(Urdf, ReadsATurntableWithAWeldedBoom) {
  const RobotDescription robot = read_text(turntable);
  EXPECT_THAT(robot.dof_order, ElementsAre("turn", "wrist"));
  const LinkDescription &table = robot.links[1], &boom = robot.links[2], &tool = robot.links[3];
  EXPECT_EQ(table.joint.kind, JointKind::revolute);
  EXPECT_EQ(table.joint.lower, -infinite);
  EXPECT_EQ(table.joint.upper, infinite);
  EXPECT_EQ(table.joint.velocity_limit, 5);
  EXPECT_EQ(table.joint.effort_limit, 6);
  EXPECT_EQ(boom.joint.name, "weld");
  EXPECT_EQ(boom.joint.kind, JointKind::fixed);
  EXPECT_EQ(tool.joint.lower, -infinite);
  expect_vector(placement(tool).axis, {1e-200, 0, 0}, 0);
  EXPECT_EQ(build(robot)->n_v, 2);

  // The columns of Rz(y) Ry(p) Rx(r).
  const double cr = std::cos(0.3), sr = std::sin(0.3), cp = std::cos(-0.7), sp = std::sin(-0.7),
               cy = std::cos(1.1), sy = std::sin(1.1);
  const Mat3<double>& R = placement(boom).X_PL.R;
  expect_vector(R * Vec3<double>{1, 0, 0}, {cy * cp, sy * cp, -sp}, 4 * eps);
  expect_vector(R * Vec3<double>{0, 1, 0},
                {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr}, 4 * eps);
  expect_vector(R * Vec3<double>{0, 0, 1},
                {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}, 4 * eps);

  ASSERT_TRUE(tool.joint.mimic);
  EXPECT_EQ(tool.joint.mimic->joint, "turn");
  EXPECT_EQ(tool.joint.mimic->ratio, -1);
  EXPECT_EQ(tool.joint.mimic->offset, 0);

  ASSERT_EQ(robot.warnings.size(), 2u);
  EXPECT_THAT(
      robot.warnings[0],
      EndsWith(": words without effect: version of <robot> (line 1), lower of continuous joints "
               "(line 4), upper of continuous joints (line 4), <axis> of fixed, floating joints "
               "(line 6), <limit> of fixed, floating, planar joints (line 6)"));
  EXPECT_THAT(robot.warnings[1],
              EndsWith(".urdf:7: no <limit>, or no velocity or effort in it; the velocity or "
                       "effort of these joints is not limited: 'wrist'"));
}

std::string one_joint(const std::string& content) {
  return "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='prismatic'><parent "
         "link='a'/><child link='b'/>" +
         content + "</joint></robot>";
}

TEST(Urdf, WarnsAboutMissingLimits) {
  EXPECT_THAT(read_text(one_joint("<limit lower='0' upper='1' velocity='1' effort='1'/>")).warnings,
              ElementsAre());
  const RobotDescription bare = read_text(one_joint("<limit effort='1'/>"));
  EXPECT_THAT(
      bare.warnings,
      ElementsAre(
          EndsWith(".urdf:1: no <limit>, or no velocity or effort in it; the velocity or effort "
                   "of these joints is not limited: 'j'"),
          EndsWith(".urdf:1: no lower or upper in <limit>, so it is 0, the default of URDF: 'j'")));
  EXPECT_EQ(bare.links[1].joint.lower, 0);
  EXPECT_EQ(bare.links[1].joint.upper, 0);
  EXPECT_EQ(bare.links[1].joint.effort_limit, 1);
  EXPECT_EQ(bare.links[1].joint.velocity_limit, infinite);
  const RobotDescription half = read_text(one_joint("<limit lower='-1' velocity='1' effort='1'/>"));
  EXPECT_EQ(half.links[1].joint.lower, -1);
  EXPECT_EQ(half.links[1].joint.upper, 0);
  EXPECT_EQ(half.warnings.size(), 1u);
}

TEST(Urdf, NamesAreUnchanged) {
  const RobotDescription robot =
      read_text("<robot name='&lt;&#233;&gt; 2'>\r\n<link name='a &amp; \xc3\xa9'/></robot>");
  EXPECT_EQ(robot.name, "<\xc3\xa9> 2");
  EXPECT_EQ(robot.links[0].name, "a & \xc3\xa9");
  EXPECT_TRUE(robot.dof_order.empty());
}

// Checks the first and last characters of each length in UTF-8, and byte sequences just outside of
// them (RFC 3629).
TEST(Urdf, NamesMustBeUtf8) {
  const auto error = [](const std::string& name) {
    return test::error_of("<robot name='r'><link name='" + name + "'/></robot>");
  };
  for (const char* good : {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(error(good), "");
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf",
                          "\xed\xa0\x80", "\xe2\x82", "\xe2\x82z", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\x7f", "\t"})
    EXPECT_THAT(error(bad), HasSubstr("of a <link> is not UTF-8 text on one line"));
}

// Checks the helper of these tests: two files that exist at the same time are different files.
TEST(Urdf, TwoFilesOfATestAreDifferent) {
  const test::UrdfFile a("<robot name='a'><link name='l'/></robot>"),
      b("<robot name='b'><link name='l'/></robot>");
  EXPECT_EQ(read_robot_file(a.path()).name, "a");
  EXPECT_EQ(read_robot_file(b.path()).name, "b");
}

TEST(Urdf, OptionsReachTheDescription) {
  const test::UrdfFile file("<robot name='r'><link name='a'/></robot>");
  EXPECT_EQ(read_robot_file(file.path()).nonphysical, Nonphysical::warn);
  EXPECT_EQ(read_robot_file(file.path(), {.strict = true}).nonphysical, Nonphysical::reject);
  EXPECT_FALSE(read_robot_file(file.path()).com_frames);
  EXPECT_TRUE(read_robot_file(file.path(), {.com_frames = true}).com_frames);
}

TEST(Urdf, AnInertiaThatNoBodyHasIsAWarningOrStrictlyAnErrorAtItsLine) {
  const test::UrdfFile file(
      "<robot name='r'>\n<link name='a'/>\n<link name='b'><inertial><mass value='1'/><inertia "
      "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'/></inertial></link>\n<joint name='j' "
      "type='fixed'><parent link='a'/><child link='b'/></joint></robot>");
  const auto model = build(read_robot_file(file.path()));
  ASSERT_EQ(model->warnings.size(), 1u);
  EXPECT_THAT(model->warnings[0], HasSubstr(file.path() + ":3: link 'b'"));
  try {
    build(read_robot_file(file.path(), {.strict = true}));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(file.path() + ":3: link 'b'"));
  }
}

// Checks that the time to read a long chain does not grow quadratically; then it would be minutes.
// The bound of 5 s is for slow machines.
TEST(Urdf, ALongChainIsReadFast) {
  constexpr int n = 5000;
  std::string text = "<robot name='chain'>";
  for (int i = n - 1; i >= 0; --i) text += fmt::format("<link name='l{}'/>\n", i);
  for (int i = n - 1; i > 0; --i)
    text += fmt::format(
        "<joint name='j{0}' type='continuous'><parent link='l{1}'/><child link='l{0}'/></joint>\n",
        i, i - 1);
  const auto start = std::chrono::steady_clock::now();
  const RobotDescription robot = read_text(text + "</robot>");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  ASSERT_EQ(robot.dof_order.size(), size_t(n - 1));
  EXPECT_EQ(robot.dof_order.front(), "j4999");
  const std::string loop =
      text +
      "<joint name='j0' type='fixed'><parent link='l4999'/><child link='l0'/></joint></robot>";
  EXPECT_THAT(test::error_of(loop), EndsWith("and 4992 more; a robot is a tree"));
}

TEST(Urdf, ReadsFloatingAndPlanarJoints) {
  const test::UrdfFile file(R"(<robot name="r">
<link name="world"/><link name="box"/><link name="puck"/>
<joint name="flies" type="floating"><parent link="world"/><child link="box"/><limit velocity="1" effort="2"/></joint>
<joint name="glides" type="planar"><parent link="world"/><child link="puck"/><axis xyz="0 1 0"/></joint>
</robot>)");
  const RobotDescription robot = read_robot_file(file.path());
  EXPECT_THAT(robot.dof_order, ElementsAre("flies", "glides"));
  EXPECT_EQ(robot.links[1].joint.kind, JointKind::floating);
  EXPECT_EQ(robot.links[2].joint.kind, JointKind::planar);
  EXPECT_EQ(std::get<ScrewPlacement>(robot.links[2].joint.placement).axis.y, 1);
  EXPECT_THAT(
      robot.warnings[0],
      EndsWith(": words without effect: <limit> of fixed, floating, planar joints (line 3)"));
  const auto model = build(robot);
  ASSERT_EQ(model->n_v, 9);
  for (const Drive& drive : model->drives) EXPECT_TRUE(drive.passive);
}

TEST(Urdf, AddsAFloatingJointIfRequested) {
  const test::UrdfFile file(slider_and_arm);
  const RobotDescription robot = read_robot_file(file.path(), {.floating_base = true});
  EXPECT_THAT(robot.dof_order, ElementsAre("floating_base", "swing", "slide"));
  EXPECT_EQ(robot.links[2].joint.kind, JointKind::floating);
  const auto model = build(robot);
  EXPECT_EQ(model->n_q, 9);
  EXPECT_EQ(model->joints[0].v_index, 0);
}

TEST(Urdf, AFloatingBaseHasMotorsOnlyIfRequested) {
  const test::UrdfFile file(slider_and_arm);
  for (const bool motors : {false, true}) {
    const auto model =
        build(read_robot_file(file.path(), {.floating_base = true, .base_motors = motors}));
    for (size_t k = 0; k < 8; ++k) EXPECT_EQ(model->drives[k].passive, k < 6 && !motors) << k;
  }
}

// Checks names that occur in the files of several quadrupeds.
TEST(Urdf, AJointOrLinkNamedFloatingBaseDoesNotForbidAFloatingBase) {
  const test::UrdfFile file(R"(<robot name="dog">
<link name="floating_base"/><link name="trunk"/><link name="leg"/>
<joint name="floating_base" type="fixed"><parent link="floating_base"/><child link="trunk"/></joint>
<joint name="floating_base_2" type="continuous"><parent link="trunk"/><child link="leg"/>
<limit velocity="1" effort="1"/></joint>
</robot>)");
  const RobotDescription robot = read_robot_file(file.path(), {.floating_base = true});
  EXPECT_THAT(robot.dof_order, ElementsAre("floating_base_3", "floating_base_2"));
  EXPECT_EQ(build(robot)->n_v, 7);
  EXPECT_THAT(robot.warnings,
              ElementsAre(file.path() + ":3: the file has a joint 'floating_base', so the joint of "
                                        "the floating base is named 'floating_base_3'"));
  EXPECT_THAT(read_robot_file(file.path()).warnings, ElementsAre());
}

std::string mimicking(const std::string& of) {
  return "<robot name='r'>\n<link name='a'/><link name='b'/><link name='c'/>\n"
         "<joint name='weld' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
         "<joint name='finger' type='revolute'><parent link='b'/><child link='c'/>\n"
         "<limit lower='-1' upper='1' velocity='1' effort='1'/>\n<mimic joint='" +
         of + "'/></joint></robot>";
}

TEST(Urdf, AJointThatMimicsNoMovingJointMovesByItself) {
  for (const auto& [of, is, hint] :
       {std::tuple{"fingre", "not a joint of the file", "; did you mean 'finger'?"},
        {"thumb_left", "not a joint of the file", "; correct the name, or remove <mimic>"},
        {"weld", "fixed",
         "; a joint can only mimic a joint with one degree of freedom: name one, or remove "
         "<mimic>"}}) {
    const std::string text = mimicking(of),
                      said = fmt::format("FILE:6: joint 'finger' mimics '{}', which is {}", of, is);
    EXPECT_EQ(test::warning_of(text), said + ", so it moves independently" + hint);
    EXPECT_FALSE(read_text(text).links[2].joint.mimic);
    EXPECT_EQ(build(read_text(text))->n_v, 1);
    EXPECT_EQ(test::error_of(text, test::strictly), said + hint);
  }
}

TEST(Urdf, ARobotWithoutANameGetsThatOfItsFile) {
  const test::UrdfFile file("<robot>\n<link name='a'/></robot>");
  const std::string stem = std::filesystem::path(file.path()).stem();
  const RobotDescription robot = read_robot_file(file.path());
  EXPECT_EQ(robot.name, stem);
  EXPECT_THAT(robot.warnings,
              ElementsAre(file.path() + ":1: <robot> has no name; the name of the file is used, '" +
                          stem + "'"));
}

TEST(Urdf, AGivenNameReplacesThatOfTheFile) {
  for (const char* start : {"<robot>", "<robot name='other'>"})
    for (const bool strict : {false, true}) {
      const test::UrdfFile file(std::string(start) + "<link name='l'/></robot>");
      const RobotDescription robot = read_robot_file(file.path(), {.strict = strict, .name = "a"});
      EXPECT_EQ(robot.name, "a");
      EXPECT_THAT(robot.warnings, ElementsAre());
    }
}

TEST(RobotFiles, AreReadByTheirExtension) {
  ASSERT_NE(robot_format("r.urdf"), nullptr);
  EXPECT_EQ(robot_format("r.urdf")->name, "URDF");
  for (const char* file : {"r", "urdf", ".urdf", "r.URDF", "r.urdf.txt", "r.lua"})
    EXPECT_EQ(robot_format(file), nullptr) << file;
  EXPECT_EQ(robot_format("r.xml")->name, "MJCF");
  EXPECT_EQ(robot_format("r.mjcf")->name, "MJCF");
  EXPECT_EQ(robot_format("r.urdf.xacro")->name, "xacro");
  EXPECT_EQ(robot_format("r.sdf")->name, "SDF");
  EXPECT_EQ(robot_extensions("URDF"), ".urdf");
  EXPECT_EQ(robot_extensions("SDF"), ".sdf, .world");
  EXPECT_THAT(robot_extensions(), testing::StartsWith(".urdf, "));
  EXPECT_THAT(
      [] { read_robot_file("r.txt"); },
      testing::ThrowsMessage<Error>(testing::StartsWith("'r.txt': a robot file is a .urdf, ")));
}

TEST(RobotFiles, NeedAKnownExtension) {
  EXPECT_NO_THROW(require_robot_extension("r.urdf", "a robot is a .urdf file"));
  EXPECT_THAT([] { require_robot_extension("r.txt", "a robot is a .urdf file"); },
              testing::ThrowsMessage<Error>("'r.txt': a robot is a .urdf file"));
}

}  // namespace
}  // namespace torsor
