// Tests of lint: each rule on a robot that violates it, and valid robots without findings.

#include "torsor/formats/lint/lint.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "formats/sdf_file.hpp"
#include "formats/urdf_file.hpp"
#include "support/random_robot.hpp"
#include "support/tetrahedron.hpp"
#include "torsor/base/random.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> rules(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(finding.rule);
  return out;
}

// A URDF arm of three bars of 0.4 m and 2 kg. The members describe its middle bar.
struct Arm {
  std::string axis = "0 1 0", limit = "lower='-2' upper='2' velocity='3' effort='50'",
              xyz = "0 0 0.4", com = "0 0 0.2", mass = "2",
              inertia = "ixx='0.027' ixy='0' ixz='0' iyy='0.027' iyz='0' izz='0.0008'",
              shape = "<cylinder radius='0.03' length='0.4'/>", extra = "";

  std::string link(const char* name, const Arm& as) const {
    const std::string inertial =
        as.mass.empty()
            ? ""
            : fmt::format("<inertial><origin xyz='{}'/><mass value='{}'/><inertia {}/></inertial>",
                          as.com, as.mass, as.inertia);
    return fmt::format(
        "<link name='{}'>\n{}\n<visual><origin xyz='0 0 "
        "0.2'/><geometry>{}</geometry></visual>\n</link>\n",
        name, inertial, as.shape);
  }
  std::string joint(const char* name, const char* parent, const char* child, const Arm& as) const {
    return fmt::format(
        "<joint name='{}' type='revolute'>\n<parent link='{}'/><child link='{}'/><origin "
        "xyz='{}'/>\n"
        "<axis xyz='{}'/><limit {}/></joint>\n",
        name, parent, child, as.xyz, as.axis, as.limit);
  }
  // Returns the text of the file. Each link has four lines, of which the second is its <inertial>.
  // Each joint has three lines.
  std::string text() const {
    const Arm good;
    return "<robot name='arm'>\n<link name='base'/>\n" + link("a", good) + link("b", *this) +
           link("c", good) + joint("ja", "base", "a", good) + joint("jb", "a", "b", *this) +
           joint("jc", "b", "c", good) + extra + "</robot>\n";
  }
  std::vector<Finding> lint() const { return torsor::lint(read_text(text())); }
};

double number(const Finding& finding, const std::string& name) {
  for (const auto& number : finding.numbers)
    if (number.name == name) return number.value;
  ADD_FAILURE() << "no number " << name;
  return NAN;
}

TEST(Lint, FindsNothingInAValidArm) {
  for (const Finding& finding : Arm().lint()) ADD_FAILURE() << as_line(finding);
}

TEST(Lint, FindsNoErrorInRandomRobots) {
  for (uint64_t seed = 0; seed < 50; ++seed)
    for (const Finding& finding : lint(random_robot(10, Shape::tree, seed)))
      if (finding.severity == Severity::error)
        ADD_FAILURE() << "seed " << seed << ": " << as_line(finding);
}

TEST(Lint, AnInertiaThatBreaksTheTriangleNamesItsLineItsMomentsAndTheNearest) {
  Arm arm;
  arm.inertia = "ixx='0.01' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.036'";
  const auto found = arm.lint();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "inertia.triangle");
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].source, testing::EndsWith(".urdf:8"));
  EXPECT_EQ(found[0].subject, "link 'b'");
  EXPECT_NEAR(number(found[0], "I1"), 0.01, 1e-15);
  EXPECT_NEAR(number(found[0], "I3"), 0.036, 1e-15);
  // The principal moments a <= b < c violate a + b >= c by 3 t, t = (c - a - b) / 3 = 0.002. The
  // nearest possible ones are a + t, b + t, c - t.
  double ixx = 0, iyy = 0, izz = 0;
  const std::string& advice = found[0].advice;
  ASSERT_EQ(std::sscanf(advice.c_str() + advice.find("ixx"), "ixx = %lf, iyy = %lf, izz = %lf",
                        &ixx, &iyy, &izz),
            3);
  EXPECT_NEAR(ixx, 0.012, 1e-15);
  EXPECT_NEAR(iyy, 0.022, 1e-15);
  EXPECT_NEAR(izz, 0.034, 1e-15);
}

TEST(Lint, ANegativeMomentIsNotPositive) {
  Arm arm;
  arm.inertia = "ixx='0.01' ixy='0.02' ixz='0' iyy='0.01' iyz='0' izz='0.02'";
  const auto found = arm.lint();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, "inertia.not_positive");
  EXPECT_NEAR(number(found[0], "I1"), -0.01, 1e-15);
}

// A fault of the middle bar, and the only rule that must report it.
struct Break {
  const char* rule;
  std::string Arm::*part;
  const char* value;
};
class OneRule : public testing::TestWithParam<Break> {};
TEST_P(OneRule, IsFoundAlone) {
  Arm arm;
  arm.*GetParam().part = GetParam().value;
  const auto found = arm.lint();
  EXPECT_THAT(rules(found), ElementsAre(GetParam().rule));
  for (const Finding& finding : found)
    EXPECT_THAT(finding.subject, HasSubstr("b'")) << as_line(finding);
}
INSTANTIATE_TEST_SUITE_P(
    Lint, OneRule,
    testing::Values(
        Break{"joint.axis", &Arm::axis, "0 2 0"}, Break{"joint.axis", &Arm::axis, "1 1 0"},
        Break{"joint.range", &Arm::limit, "velocity='3' effort='50'"},
        Break{"joint.range", &Arm::limit, "lower='1' upper='1' velocity='3' effort='50'"},
        Break{"joint.effort", &Arm::limit, "lower='-1' upper='1' velocity='3' effort='0'"},
        Break{"joint.velocity", &Arm::limit, "lower='-1' upper='1' velocity='0' effort='9'"},
        Break{"joint.degrees", &Arm::limit, "lower='-170' upper='170' velocity='3' effort='9'"},
        Break{"joint.degrees", &Arm::limit, "lower='0' upper='90' velocity='3' effort='9'"},
        Break{"joint.degrees", &Arm::limit, "lower='0' upper='1' velocity='180' effort='9'"},
        Break{"joint.far", &Arm::xyz, "0 0 400"},
        Break{"inertia.com_outside", &Arm::com, "0 0 -0.2"},
        Break{"inertia.density", &Arm::mass, "2000"},  // given in grams
        Break{"inertia.proportions", &Arm::inertia,
              "ixx='0.027' ixy='0' ixz='0' iyy='0.027' iyz='0' izz='0.000002'"},
        Break{"inertia.too_large", &Arm::inertia,
              "ixx='27000' ixy='0' ixz='0' iyy='27000' iyz='0' izz='800'"},
        Break{"inertia.too_large", &Arm::inertia,
              "ixx='27' ixy='0' ixz='0' iyy='27' iyz='0' izz='0.8'"},
        Break{"inertia.too_small", &Arm::inertia,
              "ixx='2.7e-8' ixy='0' ixz='0' iyy='2.7e-8' iyz='0' izz='8e-10'"},
        Break{"inertia.density", &Arm::shape, "<cylinder radius='0.0003' length='0.4'/>"},
        Break{"inertia.shape", &Arm::inertia,  // the axes x and z are exchanged
              "ixx='0.0008' ixy='0' ixz='0' iyy='0.027' iyz='0' izz='0.027'"}));

TEST(Lint, NamesTheUnitThatSlipped) {
  Arm arm;
  arm.inertia = "ixx='27000' ixy='0' ixz='0' iyy='27000' iyz='0' izz='800'";
  EXPECT_THAT(arm.lint().at(0).advice, HasSubstr("kg mm^2"));
  arm = {};
  arm.mass = "2000";
  EXPECT_THAT(arm.lint().at(0).advice, HasSubstr("grams"));
  arm = {};
  arm.shape = "<cylinder radius='30' length='400'/>";
  EXPECT_THAT(rules(arm.lint()), testing::Contains("inertia.density"));
}

TEST(Lint, LooksAtUniversalAndFloatingJoints) {
  RobotDescription robot = read_text(Arm().text());
  JointDescription& wrist = robot.links[3].joint;
  wrist = {.name = "jc", .kind = JointKind::revolute, .placement = wrist.placement};
  wrist.second_axis = Vec3<double>{1, 0, 0};
  robot.dof_order.clear();
  JointDescription& root = robot.links[1].joint;
  root = {.name = "ja", .kind = JointKind::floating, .placement = ScrewPlacement{}};
  EXPECT_THAT(lint(robot), IsEmpty());
  wrist.second_axis = Vec3<double>{3, 0, 0};
  const auto found = lint(robot);
  EXPECT_THAT(rules(found), ElementsAre("joint.axis"));
  EXPECT_EQ(found[0].subject, "joint 'jc_2'");
}

TEST(Lint, AnAxisIsSeenAsWritten) {
  Arm arm;
  arm.axis = "0 3 4";
  const auto found = arm.lint();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(number(found[0], "length"), 5);
  EXPECT_THAT(found[0].advice, HasSubstr("(0, 0.6, 0.8)"));
  arm.axis = "0 0.707 0.7072";  // a rounded unit vector
  EXPECT_THAT(arm.lint(), IsEmpty());
}

// Checks links without inertia at the end of the arm: each of their joints is reported. Armature
// makes M regular.
TEST(Lint, AJointThatMovesNoInertiaMakesMSingular) {
  RobotDescription robot = read_text(Arm().text());
  robot.links[3].inertia = SpatialInertia<double>::zero();
  const auto found = lint(robot);
  EXPECT_THAT(rules(found), testing::Contains("inertia.singular"));
  for (const Finding& finding : found)
    if (finding.rule == "inertia.singular") {
      EXPECT_EQ(finding.subject, "joint 'jc'");
      EXPECT_EQ(number(finding, "M_jj"), 0);
    }
  robot.links[2].inertia = robot.links[3].inertia;
  EXPECT_EQ(std::ranges::count(rules(lint(robot)), "inertia.singular"), 2);
  robot.links[2].joint.armature = robot.links[3].joint.armature = 0.1;
  EXPECT_THAT(rules(lint(robot)), testing::Not(testing::Contains("inertia.singular")));
}

// Checks two hinges about the same axis, with no inertia between them.
TEST(Lint, NamesTheFirstOfTwoHingesAboutOneAxis) {
  RobotDescription robot = read_text(Arm().text());
  robot.links[2].inertia = SpatialInertia<double>::zero();
  std::get<ScrewPlacement>(robot.links[3].joint.placement).X_PL = Pose<double>::identity();
  bool found = false;
  for (const Finding& finding : lint(robot))
    if (finding.rule == "inertia.singular") {
      found = true;
      EXPECT_EQ(finding.subject, "joint 'jb'");
      EXPECT_GT(number(finding, "M_jj"), 0);
      // cond(M) is not reported if M is exactly singular.
      for (const auto& [name, value, unit] : finding.numbers)
        if (name == "cond(M)") {
          EXPECT_TRUE(value > 1e12 && std::isfinite(value)) << value;
        }
    }
  EXPECT_TRUE(found);
}

// Checks the advice for a floating joint without inertia. It cannot have an armature. Only a
// floating joint of the file can be made fixed; that of --floating-base can be left out.
TEST(Lint, AFloatingJointWithoutInertiaGetsAdviceThatItsKindAllows) {
  const std::string links = "<robot name='r'>\n<link name='a'/>";
  const std::string joint =
      "<link name='b'/>\n<joint name='j' type='floating'><parent link='a'/><child "
      "link='b'/></joint>";
  for (const auto& [robot, advice] :
       {std::pair{
            read_text(links + "</robot>", {.floating_base = true}),
            "give link 'a' an inertia, or load the robot without --floating-base (in Lua: without "
            "floating_base)"},
        {read_text(links + joint + "</robot>"),
         "give link 'b' an inertia, or make the joint fixed"}}) {
    const auto found = lint(robot);
    EXPECT_EQ(found.size(), 6u);
    for (const Finding& finding : found) {
      EXPECT_EQ(finding.rule, "inertia.singular");
      EXPECT_EQ(finding.advice, advice);
      ASSERT_EQ(finding.numbers.size(), 1u) << as_line(finding);
      EXPECT_EQ(finding.numbers[0].name, "M_jj");
    }
  }
}

TEST(Lint, EveryIgnoredFieldIsANoteWithItsLine) {
  Arm arm;
  arm.extra = "<gazebo/>\n<transmission/>\n";
  const auto found = arm.lint();
  EXPECT_THAT(rules(found), ElementsAre("file.unused", "file.unused"));
  EXPECT_EQ(found[0].severity, Severity::note);
  EXPECT_THAT(found[0].source, testing::EndsWith(":24"));
  EXPECT_EQ(found[0].subject, "<gazebo>");
  EXPECT_THAT(found[1].source, testing::EndsWith(":25"));
}

TEST(Lint, AnUnknownWordIsOneErrorWithItsCount) {
  Arm arm;
  arm.extra = "<gazbo/>\n<gazbo/>\n<gazebo/>\n";
  const auto found = arm.lint();
  EXPECT_THAT(rules(found), ElementsAre("file.unknown", "file.unused"));
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].source, testing::EndsWith(":24"));
  EXPECT_EQ(number(found[0], "count"), 2);
  EXPECT_EQ(found[0].advice, "did you mean 'gazebo'?");
}

TEST(Lint, AWordAboutTheMotionThatIsNotSupportedIsAnError) {
  Arm arm;
  arm.limit += "/><dynamics mu_coulomb='1'";
  const auto found = arm.lint();
  EXPECT_THAT(rules(found), ElementsAre("file.unsupported"));
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_EQ(found[0].subject, "mu_coulomb of <dynamics>");
}

// A change of the text of the arm, `from` -> `to`, at the first place after `after`. The reader
// then warns, and lint reports the finding.
struct Doubt {
  std::string after, from, to;
  std::string rule, line, subject, what, advice;
};
TEST(Lint, ListsWarningsOfTheReader) {
  const std::string unlimited = "joint.unlimited", range = "joint.range";
  const Doubt doubts[] = {
      {"<robot", " name='arm'", "", "file.name", ":1", "<robot>",
       "it has no name; the name of the file is used, '", "give it a name"},
      {"'jb'", "<limit " + Arm().limit + "/>", "", unlimited, ":18", "joint 'jb'",
       "its position, velocity and effort are not limited",
       "add a <limit> with lower, upper, velocity and effort"},
      {"'jb'", " velocity='3'", "", unlimited, ":18", "joint 'jb'", "its velocity is not limited",
       "add velocity to its <limit>"},
      {"'jb'", " effort='50'", "", unlimited, ":18", "joint 'jb'", "its effort is not limited",
       "add effort to its <limit>"},
      {"'jb'", " velocity='3' effort='50'", "", unlimited, ":18", "joint 'jb'",
       "its velocity and effort are not limited", "add velocity and effort to its <limit>"},
      {"'jb'", "lower='-2'", "", range, ":18", "joint 'jb'",
       "its lower limit is 0, the default of URDF", "add lower to its <limit>"},
      {"'jb'", "upper='2'", "", range, ":18", "joint 'jb'",
       "its upper limit is 0, the default of URDF", "add upper to its <limit>"},
      {"'jb'", "lower='-2' upper='2'", "", range, ":18", "joint 'jb'",
       "its lower and upper limits are 0, the default of URDF",
       "add lower and upper to its <limit>"},
      {"'b'", "</visual>", "<material name='grey'/></visual>", "file.material", ":9",
       "material 'grey'", "no colour is defined for it", "add a <color> to the <material>"},
  };
  for (const Doubt& doubt : doubts) {
    std::string text = Arm().text();
    const size_t place = text.find(doubt.from, text.find(doubt.after));
    ASSERT_NE(place, std::string::npos) << doubt.from;
    const RobotDescription robot = read_text(text.replace(place, doubt.from.size(), doubt.to));
    const auto found = lint(robot);
    ASSERT_EQ(found.size(), 1u) << doubt.what;
    EXPECT_EQ(found[0].severity, Severity::warning);
    EXPECT_EQ(found[0].rule, doubt.rule);
    EXPECT_THAT(found[0].source, testing::EndsWith(".urdf" + doubt.line));
    EXPECT_EQ(found[0].subject, doubt.subject);
    EXPECT_THAT(found[0].what, testing::StartsWith(doubt.what));
    EXPECT_EQ(found[0].advice, doubt.advice);
    ASSERT_EQ(robot.warnings.size(), 1u) << doubt.what;
    EXPECT_THAT(robot.warnings[0], testing::StartsWith(found[0].source + ": "));
  }
}

TEST(Lint, TheNameOfAFloatingBaseThatIsTakenIsAWarning) {
  const RobotDescription robot = read_text(
      "<robot name='r'>\n<link name='a'/><link name='b'/>\n<joint name='floating_base' "
      "type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
      {.floating_base = true});
  const auto found = lint(robot);
  const auto name = std::ranges::find(found, "file.floating_base", &Finding::rule);
  ASSERT_NE(name, found.end());
  EXPECT_EQ(name->severity, Severity::warning);
  EXPECT_THAT(
      as_line(*name),
      HasSubstr(
          ".urdf:3: warning: joint 'floating_base': it has the name of the joint of a floating "
          "base, so the joint of the floating base is named 'floating_base_2'; rename it"));
}

TEST(Lint, AMimicOfAMissingJointIsAnError) {
  Arm arm;
  arm.limit += "/><mimic joint='jx'";
  const auto found = arm.lint();
  EXPECT_THAT(rules(found), ElementsAre("file.reference"));
  EXPECT_EQ(found[0].severity, Severity::error);
  EXPECT_THAT(found[0].subject,
              HasSubstr("<mimic> of joint 'jb' names 'jx', which is not a joint of the file"));
  EXPECT_EQ(found[0].what, "it has no effect");
}

// Checks that the finding is complete in both formats.
TEST(Lint, AMimicOfAMissingJointOfSdfIsAnError) {
  const RobotDescription robot = read_sdf_text(
      "<sdf version='1.9'><model name='m'><link name='a'/><joint name='j' type='revolute'>"
      "<parent>world</parent><child>a</child><axis><mimic "
      "joint='k'/></axis></joint></model></sdf>");
  const auto found = lint(robot);
  const auto mimic = std::ranges::find(found, "file.reference", &Finding::rule);
  ASSERT_NE(mimic, found.end());
  EXPECT_THAT(as_line(*mimic),
              HasSubstr("error: <mimic> of joint 'j' names 'k', which is not a joint of its model: "
                        "it has no effect; correct the name, or remove <mimic>"));
}

TEST(Lint, AMissingIncludeIsAnErrorThatDoesNotSpeakOfMotion) {
  const RobotDescription robot = read_sdf_text(
      "<sdf version='1.9'><world name='w'><include><uri>model://none</uri></include><model "
      "name='m'><static>1</static><link name='a'/></model></world></sdf>");
  const auto found = lint(robot);
  const auto include = std::ranges::find(found, "file.reference", &Finding::rule);
  ASSERT_NE(include, found.end());
  EXPECT_THAT(include->subject, HasSubstr("<include> of 'model://none' is not included"));
  EXPECT_EQ(include->what, "it has no effect");
  EXPECT_EQ(include->advice, "correct the <uri>, or remove the <include>");
}

TEST(Lint, AMimicNeedsAJointWithOneDegreeOfFreedom) {
  Arm arm;
  arm.limit += "/><mimic joint='weld'";
  arm.extra =
      "<link name='tool'/><joint name='weld' type='fixed'><parent link='c'/><child "
      "link='tool'/></joint>";
  const auto found = arm.lint();
  ASSERT_THAT(rules(found), ElementsAre("file.reference"));
  EXPECT_EQ(found[0].subject, "<mimic> of joint 'jb' names 'weld', which is fixed");
  EXPECT_EQ(
      found[0].advice,
      "a joint can only mimic a joint with one degree of freedom: name one, or remove <mimic>");
}

// Checks a small placeholder, for example of a sensor: 1 g in a cube of 1 mm. Its density is
// ignored.
TEST(Lint, TheDensityOfANegligibleMassIsIgnored) {
  Arm arm;
  arm.mass = "0.001";
  arm.com = "0 0 0.2";
  arm.inertia = "ixx='1e-10' ixy='0' ixz='0' iyy='1e-10' iyz='0' izz='1e-10'";
  arm.shape = "<box size='0.001 0.001 0.001'/>";
  EXPECT_THAT(rules(arm.lint()), testing::Not(testing::Contains("inertia.density")));
  arm.mass = "0.1";
  EXPECT_THAT(rules(arm.lint()), testing::Contains("inertia.density"));
}

TEST(Lint, LimitsThatAreBothZeroAreOneWarning) {
  Arm arm;
  arm.limit = "lower='-1' upper='1' velocity='0' effort='0'";
  const auto found = arm.lint();
  EXPECT_THAT(rules(found), ElementsAre("joint.effort"));
  EXPECT_EQ(found[0].numbers.size(), 2u);
}

// Checks that shapes are ignored if the link also has a mesh, because the mesh may be larger.
TEST(Lint, ShapesNextToAMeshAreIgnored) {
  Arm arm;
  arm.shape =
      "<cylinder radius='0.0003' length='0.4'/></geometry></visual><visual><geometry><mesh "
      "filename='hand.stl'/>";
  EXPECT_THAT(rules(arm.lint()), ElementsAre());
}

// Checks that a mesh is compared, and that a mesh that is no solid is one note.
TEST(Lint, ComparesInertiasWithMeshes) {
  const std::string file = fmt::format("{}torsor_lint_{}.stl", testing::TempDir(), getpid());
  const MeshAccess meshes;
  std::ofstream(file) << tetrahedron_stl;
  Arm arm;
  arm.shape = fmt::format("<mesh filename='{}' scale='0.1 0.1 1'/>", file);
  arm.com = "0.025 0.05 0.95";
  // I_xx = m (b^2 + c^2) 3/80 about the centre of the tetrahedron with the edges a, b and c
  const double m = 2, a2 = 0.01, b2 = 0.04, c2 = 9;
  const auto with_moments = [&](double xx, double zz) {
    arm.inertia = fmt::format("ixx='{}' ixy='0' ixz='0' iyy='{}' iyz='0' izz='{}'", xx,
                              m * 3 / 80 * (a2 + c2), zz);
    return lint(read_text(arm.text()), &meshes);
  };
  const double xx = m * 3 / 80 * (b2 + c2), zz = m * 3 / 80 * (a2 + b2);
  EXPECT_THAT(rules(with_moments(xx, zz)), ElementsAre());
  EXPECT_THAT(rules(with_moments(zz, xx)), ElementsAre("inertia.shape"));
  EXPECT_THAT(as_line(with_moments(zz, xx)[0]), HasSubstr("are the axes exchanged?"));
  std::ofstream(file) << "solid t\nendsolid t\n";
  const std::vector<Finding> found = with_moments(zz, xx);
  EXPECT_THAT(rules(found), ElementsAre("inertia.mesh"));
  EXPECT_THAT(as_line(found[0]), HasSubstr("(links = 1); the first reason: mesh '" + file + "': "));
  std::remove(file.c_str());
}

TEST(Lint, ErrorsComeFirstThenWarningsThenNotesByLine) {
  Arm arm;
  arm.axis = "0 2 0";
  arm.mass = "2000";
  arm.extra = "<gazebo/>\n<gazbo/>\n";
  std::pair<int, int> last{-2, 0};
  for (const Finding& finding : arm.lint()) {
    EXPECT_EQ(as_line(finding).find('\n'), std::string::npos);
    const std::pair at{-int(finding.severity),
                       std::stoi(finding.source.substr(finding.source.rfind(':') + 1))};
    EXPECT_GE(at, last) << as_line(finding);
    last = at;
  }
  EXPECT_EQ(last, std::pair(0, 24));
}

double dot(const Sym3<double>& A, const Sym3<double>& B) {
  return A.xx * B.xx + A.yy * B.yy + A.zz * B.zz + 2 * (A.xy * B.xy + A.xz * B.xz + A.yz * B.yz);
}
// Returns the inertia of a rod along n. Every possible inertia is a sum of inertias of rods: I =
// integral of r^2 (1 - n n^T) dm.
Sym3<double> rod(const Vec3<double>& n) {
  return {1 - n.x * n.x, 1 - n.y * n.y, 1 - n.z * n.z, -n.x * n.y, -n.x * n.z, -n.y * n.z};
}

// Checks that P is the projection of I onto the convex cone of possible inertias. This is so if I -
// P is orthogonal to P and has no acute angle with any element of the cone.
TEST(NearestInertia, IsTheProjectionOntoPossibleInertias) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto u = [&] { return random.uniform(-1, 1); };
    const Sym3<double> given{u(), u(), u(), u(), u(), u()};
    const double mass = 2;
    const Vec3<double> com = random.vector(1);
    const Sym3<double> P = nearest_possible_inertia(inertia_about_com(mass, com, given));
    const auto defect = physical_defect(inertia_about_com(mass, com, P));
    EXPECT_FALSE(defect) << "seed " << seed << ": " << *defect;
    const Sym3<double> off{given.xx - P.xx, given.yy - P.yy, given.zz - P.zz,
                           given.xy - P.xy, given.xz - P.xz, given.yz - P.yz};
    EXPECT_NEAR(dot(off, P), 0, 1e-13) << "seed " << seed;
    for (int k = 0; k < 200; ++k)
      EXPECT_LT(dot(off, rod(random.direction())), 1e-13) << "seed " << seed;
    for (int k = 0; k < 200; ++k) {  // also compares with random points of the cone
      const double step = random.uniform(0, 1);
      const Sym3<double> R = rod(random.direction());
      const Sym3<double> other = P + Sym3<double>{step * R.xx, step * R.yy, step * R.zz,
                                                  step * R.xy, step * R.xz, step * R.yz};
      const Sym3<double> gap{given.xx - other.xx, given.yy - other.yy, given.zz - other.zz,
                             given.xy - other.xy, given.xz - other.xz, given.yz - other.yz};
      EXPECT_GE(dot(gap, gap), dot(off, off) - 1e-13) << "seed " << seed;
    }
  }
}

TEST(NearestInertia, KeepsAPossibleInertia) {
  const Sym3<double> I{0.3, 0.4, 0.5, 0.01, 0.02, 0.03};
  const Sym3<double> P = nearest_possible_inertia(inertia_about_com(1, {0, 0, 0}, I));
  EXPECT_NEAR(P.xx, I.xx, 1e-15);
  EXPECT_NEAR(P.xy, I.xy, 1e-15);
  EXPECT_NEAR(P.yz, I.yz, 1e-15);
}

}  // namespace
}  // namespace torsor::test
