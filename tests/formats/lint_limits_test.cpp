// Tests of lint's rules just inside and outside of their bounds, and of the reported numbers and
// advice.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_robot.hpp"
#include "torsor/base/random.hpp"
#include "torsor/formats/lint/lint.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Returns a chain of bars of 0.4 m and 2 kg on hinges about y. The bars have no shapes.
RobotDescription arm(const std::vector<std::string>& bars = {"a", "b", "c"}) {
  RobotDescription robot;
  robot.name = "arm";
  for (const std::string& bar : bars) {
    LinkDescription link;
    link.name = bar;
    if (!robot.links.empty()) link.parent = robot.links.back().name;
    link.joint.name = "j" + bar;
    link.joint.kind = JointKind::revolute;
    link.joint.placement =
        ScrewPlacement{.X_PL = translation<double>({0, 0, 0.4}), .axis = {0, 1, 0}};
    link.inertia = inertia_about_com(2, {0, 0, 0.2}, {0.027, 0.027, 0.0008, 0, 0, 0});
    robot.links.push_back(link);
  }
  return robot;
}
void put(LinkDescription& link, const Vec3<double>& p) {
  std::get<ScrewPlacement>(link.joint.placement).X_PL.p = p;
}

// Returns the first finding of a rule, or nullopt.
std::optional<Finding> find(const RobotDescription& robot, const std::string& rule) {
  const std::vector<Finding> findings = lint(robot);
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  return found == findings.end() ? std::nullopt : std::optional(*found);
}
bool finds(const RobotDescription& robot, const std::string& rule) {
  return find(robot, rule).has_value();
}
double number(const std::optional<Finding>& finding, const std::string& name) {
  if (finding)
    for (const auto& number : finding->numbers)
      if (number.name == name) return number.value;
  return NAN;
}

TEST(LintLimits, TheScaleIsTheMedianDistanceOfJointsThatAreApart) {
  EXPECT_THAT(lint(arm()), IsEmpty());
  RobotDescription robot = arm();
  put(robot.links[1], {0, 18, 24});
  put(robot.links[2], {0, 0, 30});
  EXPECT_EQ(number(find(robot, "robot.scale"), "median distance"), 30);
  robot.com_frames = true;
  robot.links[2].inertia = inertia_about_com(2, {5, 0, 0}, {0.03, 0.03, 0.03, 0, 0, 0});
  EXPECT_EQ(number(find(robot, "robot.scale"), "median distance"), 30)
      << "of the frames as described";
  robot = arm({"a", "b", "c", "d"});
  put(robot.links[1], {0, 18, 24});
  put(robot.links[2], {0, 0, 19});
  put(robot.links[3], {0, 0, 21});
  EXPECT_NEAR(number(find(robot, "robot.scale"), "median distance"), 21, 1e-12) << "of 30, 19, 21";
  put(robot.links[3], {0, 0, 19});
  EXPECT_FALSE(finds(robot, "robot.scale")) << "30, 19, 19";
  put(robot.links[2], {0, 0, 0});
  put(robot.links[1], {0, 0, 0});
  put(robot.links[3], {0, 21, 0});
  EXPECT_EQ(number(find(robot, "robot.scale"), "median distance"), 21)
      << "those at one place do not count";
  robot.links[3].joint.kind = JointKind::fixed;
  EXPECT_EQ(number(find(robot, "robot.scale"), "median distance"), 21) << "fixed to c";
}

TEST(LintLimits, AJointIsFarBeyond200TimesTheMedian) {
  RobotDescription robot = arm({"a", "b", "c", "d"});
  put(robot.links[1], {0, 0, 79});
  EXPECT_FALSE(finds(robot, "joint.far"));
  put(robot.links[1], {0, 0, 81});
  EXPECT_EQ(number(find(robot, "joint.far"), "distance"), 81);
}

TEST(LintLimits, DegreesAreRoundNumbersOfJointsThatTurn) {
  RobotDescription robot = arm();
  JointDescription& joint = robot.links[1].joint;
  const auto within = [&](double lower, double upper) {
    joint.lower = lower;
    joint.upper = upper;
    return find(robot, "joint.degrees");
  };
  EXPECT_TRUE(within(-90, 1));
  EXPECT_TRUE(within(-1, 90));
  EXPECT_TRUE(within(-720, 720));
  EXPECT_FALSE(within(-725, 725));
  EXPECT_FALSE(within(-16.3, 17.7));
  EXPECT_FALSE(within(-10, 10)) << "three turns";
  EXPECT_FALSE(within(-100, 100)) << "no limit";
  EXPECT_EQ(within(-180, 90)->advice,
            fmt::format("in radians they would be {} and {}", -M_PI, M_PI / 2));
  joint.kind = JointKind::prismatic;
  EXPECT_FALSE(within(-90, 90));
}

TEST(LintLimits, AComIsFarBeyondTenTimesTheRobotsLengthOrItsOwn) {
  RobotDescription robot = arm({"a", "b", "c", "d"});
  LinkDescription& link = robot.links[1];
  const auto com_at = [&](double y) {
    link.inertia = inertia_about_com(2, {0, y, 0}, {1, 1, 1, 0, 0, 0});
    return finds(robot, "inertia.com_far");
  };
  EXPECT_FALSE(com_at(3.9));
  EXPECT_TRUE(com_at(-4.1));
  put(link, {0, 0, 1});
  EXPECT_FALSE(com_at(9.9));
  EXPECT_TRUE(com_at(10.1));
}

// Checks the size of a link without shapes, which is derived from its COM, its children and the
// robot.
TEST(LintLimits, TheSizeOfALinkIncludesItsComAndChildren) {
  RobotDescription robot = arm({"a", "b", "c", "d"});
  LinkDescription& link = robot.links[1];
  const auto gyration = [&](double r, double com) {
    link.inertia = inertia_about_com(2, {0, 0, com}, {2 * r * r, 2 * r * r, 2 * r * r, 0, 0, 0});
    for (const Finding& finding : lint(robot))
      if (finding.rule.starts_with("inertia.too")) return std::optional(finding);
    return std::optional<Finding>();
  };
  EXPECT_FALSE(gyration(1.19, 0));
  EXPECT_EQ(gyration(1.21, 0)->rule, "inertia.too_large");
  EXPECT_FALSE(gyration(0.4 / 499, 0));
  EXPECT_EQ(gyration(0.4 / 501, 0)->rule, "inertia.too_small");
  EXPECT_NEAR(number(gyration(0.4 / 501, 0), "radius of gyration"), 0.4 / 501, 1e-12);
  EXPECT_NEAR(number(gyration(9, 1.5), "size of the link"), 1.5, 1e-12);
  put(robot.links[2], {0, 2, 0});
  EXPECT_NEAR(number(gyration(9, 1.5), "size of the link"), 2, 1e-12);
}

TEST(LintLimits, ImpossibleInertiasAreDistinguished) {
  RobotDescription robot = arm();
  SpatialInertia<double>& M = robot.links[1].inertia;
  const auto of = [&](double ixx, double iyy, double izz) {
    M = inertia_about_com(2, {0, 0, 0}, {ixx, iyy, izz, 0, 0, 0});
    std::string found;
    for (const Finding& finding : lint(robot)) found += finding.rule + " ";
    return found;
  };
  EXPECT_EQ(of(1e-6, 0.02, 0.03), "inertia.triangle ");
  EXPECT_EQ(of(-1e-12, 0.02, 0.03), "inertia.triangle ") << "negative by rounding";
  EXPECT_EQ(of(-1e-6, 0.02, 0.03), "inertia.not_positive ");
  EXPECT_EQ(of(0.03 / 9e3, 0.03, 0.03), "");
  EXPECT_EQ(of(0.03 / 1.1e4, 0.03, 0.03), "inertia.proportions ");
  EXPECT_EQ(of(1e-15, 0.03, 0.03), "") << "a rod, to rounding";
  robot.nonphysical = Nonphysical::allow;
  M = inertia_about_com(2, {0, 0, 0}, {0.01, 0.02, 0.04, 0, 0, 0});
  EXPECT_EQ(find(robot, "inertia.triangle")->severity, Severity::warning);
  robot.links[1].grouped = true;
  EXPECT_THAT(lint(robot), IsEmpty());
}

TEST(LintLimits, MomentsWithoutMass) {
  RobotDescription robot = arm();
  SpatialInertia<double>& M = robot.links[1].inertia;
  M = SpatialInertia<double>::zero();
  EXPECT_THAT(lint(robot), IsEmpty());
  M.I = {0.1, 0.1, 0.1, 0, 0, 0};
  EXPECT_TRUE(finds(robot, "inertia.no_mass"));
  M.h = {0, 0.2, 0};
  EXPECT_EQ(number(find(robot, "inertia.moment_without_mass"), "hy"), 0.2);
}

// A robot whose link b has a box as its shape. Factors 1 give the mass and inertia of a solid box
// of 1000 kg/m^3.
struct BoxOnB {
  Vec3<double> size;
  Vec3<double> com{0, 0, 0};
  double mass = 1, inertia = 1;

  RobotDescription robot(const Pose<double>& X_LV = Pose<double>::identity()) const {
    RobotDescription out = arm();
    const double m = mass * 1000 * size.x * size.y * size.z;
    const auto square = [&](double p, double q) { return inertia * m / 12 * (p * p + q * q); };
    out.links[1].inertia = inertia_about_com(
        m, com, {square(size.y, size.z), square(size.x, size.z), square(size.x, size.y), 0, 0, 0});
    out.links[1].visuals = {{X_LV, Box{size}, {}}};
    return out;
  }
};

// Checks a COM outside the shapes. It may be outside by a tenth of the diagonal of their bounding
// box, which the test computes from the corners.
TEST(LintLimits, AComMayBeSlightlyOutsideOfTheShapes) {
  const Pose<double> X_LV =
      translation<double>({0.05, -0.1, 0.2}) * rotation_z(0.5) * rotation_y(-0.4);
  const Vec3<double> size{0.4, 0.2, 0.6};
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int corner = 0; corner < 8; ++corner) {
    const auto half = [&](double edge, int bit) { return corner & bit ? edge / 2 : -edge / 2; };
    const Vec3<double> p =
        X_LV.p + X_LV.R * Vec3<double>{half(size.x, 1), half(size.y, 2), half(size.z, 4)};
    const double at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], at[k]);
      high[k] = std::max(high[k], at[k]);
    }
  }
  const double margin = 0.1 * std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  for (int k = 0; k < 3; ++k)
    for (const double side : {-1.0, 1.0})
      for (const bool outside : {false, true}) {
        double at[3] = {0.05, -0.1, 0.2};
        at[k] = (side < 0 ? low[k] : high[k]) + side * (margin + (outside ? 1e-9 : -1e-9));
        const BoxOnB box{size, {at[0], at[1], at[2]}};
        EXPECT_EQ(finds(box.robot(X_LV), "inertia.com_outside"), outside) << k << " " << side;
      }
}

TEST(LintLimits, TheDensityIncludesAllShapes) {
  const auto density = [](double factor) {
    return find(BoxOnB{{0.1, 0.2, 0.2}, {}, factor}.robot(), "inertia.density");
  };
  EXPECT_FALSE(density(0.051));
  EXPECT_TRUE(density(0.049));
  EXPECT_FALSE(density(24.9));
  EXPECT_NEAR(number(density(25.1), "density"), 25100, 1e-9);
  RobotDescription two = BoxOnB{{0.1, 0.2, 0.2}, {}, 40}.robot();
  two.links[1].visuals.push_back(two.links[1].visuals[0]);
  EXPECT_FALSE(finds(two, "inertia.density"));
  EXPECT_THAT(density(1e3)->advice, HasSubstr("in grams?"));
  EXPECT_THAT(density(1e-9)->advice, HasSubstr("in millimetres?"));
  EXPECT_THAT(density(1e9)->advice, HasSubstr("scaled twice from millimetres?"));
  EXPECT_THAT(density(1e5)->advice, HasSubstr("check the mass"));
}

TEST(LintLimits, AnInertiaIsComparedWithTheSizeOfTheShapes) {
  const Vec3<double> size{0.04, 0.06, 0.08};  // its diagonal is 0.1077
  const auto of = [&](double factor) {
    const std::vector<Finding> found = lint(BoxOnB{size, {}, 1, factor}.robot());
    return found.empty() ? Finding{} : found[0];
  };
  // The ratio I3 / (m R^2) is 0.2874, with I3 = m (0.06^2 + 0.08^2) / 12 and R^2 = (0.04^2 + 0.06^2
  // + 0.08^2) / 4.
  EXPECT_EQ(of(4.9).rule, "");
  EXPECT_EQ(of(5.1).rule, "inertia.shape");
  EXPECT_EQ(of(7.8).rule, "inertia.shape");
  EXPECT_THAT(of(7.8).advice, HasSubstr("check the axes and the units"));
  EXPECT_EQ(of(0).rule, "") << "a point";
  EXPECT_EQ(of(7.9).rule, "inertia.too_large");
  EXPECT_EQ(of(1 / 4.9).rule, "");
  EXPECT_EQ(of(1 / 258.0).rule, "inertia.shape");
  EXPECT_EQ(of(1 / 259.0).rule, "inertia.too_small");
  EXPECT_THAT(of(1e3).advice, HasSubstr("in g m^2?"));
  EXPECT_THAT(of(1e6).advice, HasSubstr("in kg mm^2?"));
  EXPECT_THAT(of(1e9).advice, HasSubstr("in g mm^2?"));
  EXPECT_THAT(of(1e-6).advice, HasSubstr("scaled from mm^2 twice?"));
  EXPECT_THAT(of(3e4).advice, HasSubstr("check the mass"));
  EXPECT_NEAR(number(find(BoxOnB{size, {0.01, 0, 0}, 1, 1e3}.robot(), "inertia.too_large"),
                     "radius of its shapes"),
              std::hypot(0.03, 0.03, 0.04), 1e-12);
}

// Checks hinges about z, y, z, of which only the last one has a link with mass. They are singular
// if the first and the last axis coincide, like Euler angles.
TEST(LintLimits, ReportsSingularConfigurations) {
  RobotDescription robot = arm();
  for (LinkDescription& link : robot.links) put(link, {0, 0, 0});
  const auto axis = [&](int k, const Vec3<double>& e) {
    std::get<ScrewPlacement>(robot.links[size_t(k)].joint.placement).axis = e;
  };
  axis(0, {0, 0, 1});
  axis(2, {0, 0, 1});
  robot.links[0].inertia = robot.links[1].inertia = SpatialInertia<double>::zero();
  const auto euler = find(robot, "inertia.singular");
  ASSERT_TRUE(euler);
  EXPECT_EQ(euler->subject, "joint 'ja'");
  EXPECT_THAT(euler->what,
              HasSubstr("no inertia while the joints beyond it are free, so the mass matrix is "
                        "singular in 1 of 9 configurations, first in the neutral one"));
  EXPECT_NEAR(number(euler, "M_jj"), 0.0008, 1e-15);

  robot = arm();
  robot.links[2].inertia = SpatialInertia<double>::zero();
  EXPECT_THAT(find(robot, "inertia.singular")->what, HasSubstr("it moves no inertia, so the mass"));
}

// Checks three hinges about the same skew axis. After elimination, the inertia of the first two is
// only rounding.
TEST(LintLimits, RoundingIsNoInertia) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const Vec3<double> skew = random.direction();
    RobotDescription robot = arm();
    for (LinkDescription& link : robot.links)
      link.joint.placement =
          ScrewPlacement{.X_PL = {exp_so3(random.uniform(-3, 3) * skew), {0, 0, 0}}, .axis = skew};
    robot.links[0].inertia = robot.links[1].inertia = SpatialInertia<double>::zero();
    robot.links[2].inertia = inertia_about_com(random.uniform(0.1, 5), random.vector(1),
                                               {0.03, 0.04, 0.05, 0.001, 0.002, -0.003});
    const std::vector<Finding> found = lint(robot);
    EXPECT_EQ(std::ranges::count(found, "inertia.singular", &Finding::rule), 2);
    for (const Finding& finding : found) {
      if (finding.rule != "inertia.singular") continue;
      EXPECT_THAT(finding.what, HasSubstr("in 9 of 9 configurations, first in the neutral one"));
    }
  }
}

}  // namespace
}  // namespace torsor::test
