// Tests of gears, and of closures in MJCF files.

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "formats/small_robots.hpp"

namespace torsor::test::export_gears {
namespace {

using namespace small_robots;

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

}  // namespace
}  // namespace torsor::test::export_gears
