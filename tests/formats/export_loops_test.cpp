// Tests of closed loops in SDF files.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "formats/small_robots.hpp"
#include "support/dense_dynamics.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/constraints/loops/constraint_rows.hpp"
#include "torsor/formats/export/rewrites.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/building/placement.hpp"

namespace torsor::test::export_loops {
namespace {

using namespace small_robots;
using exporting::Effect;
using testing::HasSubstr;
using testing::Not;

// A parallelogram in the plane y = 0. A revolute joint with a rotor closes its loop.
TEST(ExportLoops, KeepTheRotorsOfTheirJoints) {
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
  // A position with closed loops may not exist.
  const RoundTrip nowhere(robot, "sdf", [](const auto&) -> std::vector<double> {
    throw Error("the loops cannot be closed");
  });
  EXPECT_TRUE(nowhere.written.changes_mechanism());
  EXPECT_THAT(nowhere.report, HasSubstr("the poses of the links; the loops cannot be closed"));
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

// The accelerations of a robot whose dof move freely except for its mimics and closures:
//   [M J^T; J 0] (vdot, -lambda) = (-C v - g, -Jdot v)
// q and v are given by the names of coordinates and dof; v may be empty: 0. It is projected onto
// J v = 0.
struct Constrained {
  std::map<std::string, double> vdot;
  double gap = 0;  // largest error of a closure or mimic, m or rad
};
Constrained constrained_dynamics(const RobotDescription& robot,
                                 const std::map<std::string, double>& q,
                                 const std::map<std::string, double>& v) {
  const auto model = build(robot);
  State state(model);
  std::vector<double> position;
  for (const std::string& name : model->coordinate_names()) position.push_back(q.at(name));
  state.set_q(position);
  const std::vector<std::string> names = model->dof_names();
  const Eigen::Index n = model->n_v;
  Vector rates(n);
  for (Eigen::Index k = 0; k < n; ++k) rates[k] = v.empty() ? 0 : v.at(names[size_t(k)]);
  ConstraintRows rows(*model);
  rows.evaluate(state);
  const Matrix J = rows.jacobian();
  rates -= J.completeOrthogonalDecomposition().solve(J * rates);
  std::copy_n(rates.data(), n, state.v.begin());
  rows.evaluate(state);
  const DenseDynamics dynamics(model->view(), state.view());
  const Eigen::Index m = J.rows();
  Matrix A = Matrix::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = dynamics.M;
  A.topRightCorner(n, m) = J.transpose();
  A.bottomLeftCorner(m, n) = J;
  Vector b(n + m);
  b << -dynamics.inverse(rates, Vector::Zero(n)), -rows.bias();
  const Vector x = A.completeOrthogonalDecomposition().solve(b);
  Constrained out;
  for (Eigen::Index k = 0; k < n; ++k) out.vdot[names[size_t(k)]] = x[k];
  if (m > 0) out.gap = rows.error().cwiseAbs().maxCoeff();
  return out;
}

// Returns the coordinates q [n_q] of a robot by their names.
std::map<std::string, double> named(const RobotDescription& robot, const std::vector<double>& q) {
  std::map<std::string, double> out;
  const auto model = build(robot);
  for (size_t k = 0; k < q.size(); ++k) out[model->coordinate_names()[k]] = q[k];
  return out;
}

// Returns the relative difference of the accelerations. Fails if a loop is open.
double difference(const Constrained& a, const Constrained& b) {
  EXPECT_LT(a.gap, 1e-12);
  EXPECT_LT(b.gap, 1e-12);
  double largest = 0, out = 0;
  for (const auto& [name, vdot] : a.vdot) {
    largest = std::max(largest, std::abs(vdot));
    out = std::max(out, std::abs(vdot - b.vdot.at(name)));
  }
  EXPECT_GT(largest, 0.1);
  return out / largest;
}

// Checks that a robot and its copy have the same dynamics, of the tree at random states, and of the
// mechanism at a position q [n_q] with closed loops.
void expect_same_mechanism(const RobotDescription& robot, const RoundTrip& trip,
                           const std::vector<double>& q) {
  EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
  EXPECT_LT(difference_of_dynamics(robot, trip.read, trip.report), 1e-12);
  std::map<std::string, double> rates;
  Random random(11);
  for (const std::string& name : build(robot)->dof_names()) rates[name] = random.uniform(-1, 1);
  EXPECT_LT(difference(constrained_dynamics(robot, named(robot, q), rates),
                       constrained_dynamics(trip.read, named(robot, q), rates)),
            1e-12);
}

// Moves the zero of a joint: the robot is then where it was if its coordinates are q.
void count_from(RobotDescription& robot, size_t link, const std::vector<double>& q) {
  ScrewPlacement& screw = std::get<ScrewPlacement>(robot.links[link].joint.placement);
  screw.X_PL = screw.X_PL * inverse(motion_of_link(robot.links[link], q.data()));
}

constexpr ClosureKind sdf_kinds[] = {ClosureKind::weld,      ClosureKind::revolute,
                                     ClosureKind::prismatic, ClosureKind::screw,
                                     ClosureKind::universal, ClosureKind::spherical};

TEST(ExportLoops, ThatAreOpenAtZeroAreWrittenAtAPositionWhereTheyAreClosed) {
  const std::vector<double> closed{0.3, -0.7, 1.1};
  for (const ClosureKind kind : sdf_kinds) {
    SCOPED_TRACE(traits(kind).name);
    RobotDescription robot = loop(kind, "a", "c");
    for (size_t k = 0; k < 3; ++k) count_from(robot, k, {closed[k]});
    robot.links[0].joint.lower = -1, robot.links[0].joint.upper = 2;
    robot.links[1].joint.drives = {Drive{.spring = {3, 0.2}}};
    EXPECT_TRUE(RoundTrip(robot, "sdf").written.changes_mechanism());
    const RoundTrip trip(robot, "sdf", [&](const auto&) { return closed; });
    EXPECT_THAT(trip.report, HasSubstr("joint 'joint_of_b' -0.7"));
    EXPECT_EQ(unsaid(robot, trip.read, trip.report), "");
    expect_same_mechanism(robot, trip, closed);
    // Other programs count from the poses of the file.
    const RobotDescription other = read_robot_file(trip.folder.write(
        "other.sdf", replaced(trip.written.files.at(0).text, "torsor:position", "other:position")));
    EXPECT_LT(difference(constrained_dynamics(robot, named(robot, closed), {}),
                         constrained_dynamics(other, named(robot, {0, 0, 0}), {})),
              1e-12);
    EXPECT_NEAR(trip.read.links[0].joint.lower, -1, 1e-15);
    EXPECT_NEAR(trip.read.links[0].joint.upper, 2, 1e-15);
    EXPECT_NEAR(trip.read.links[1].joint.drives.at(0).spring.rest, 0.2, 1e-15);
  }
}

// Every kind of joint that SDF has, and a mimic.
TEST(ExportLoops, KeepTheZerosOfAllJoints) {
  RobotDescription robot = loop(ClosureKind::revolute, "a", "c");
  robot.links[0].joint.kind = JointKind::helical;
  robot.links[0].joint.pitch = 0.2;
  robot.links[1].joint.kind = JointKind::spherical;
  robot.links[1].joint.placement =
      ScrewPlacement{.X_PL = std::get<ScrewPlacement>(robot.links[1].joint.placement).X_PL,
                     .point = {0.1, -0.2, 0.3}};
  robot.links[2].joint.kind = JointKind::prismatic;
  robot.links.push_back(link("d", "", JointKind::revolute));
  robot.links[3].joint.mimic = Mimic{"joint_of_a", 2, 0.1};
  LinkDescription base = link("base", "", JointKind::floating);
  base.joint.name = "floating_base";
  base.joint.placement = ScrewPlacement{.X_PL = rotation_x(0.4)};
  base.joint.drives.assign(6, Drive{.passive = true});
  for (LinkDescription& each : robot.links)
    if (each.parent.empty()) each.parent = "base";
  robot.links.insert(robot.links.begin(), base);
  robot.links[2].joint.drives.assign(3, Drive{.passive = true});
  const double w = std::sqrt(0.5);
  const std::vector<std::vector<double>> closed{
      {0.3, 0.2, 0.1, w, 0, w, 0}, {0.3}, {0.5, 0.5, -0.5, 0.5}, {-0.2}, {0.7}};
  std::vector<double> q;
  for (size_t k = 0; k < closed.size(); ++k) {
    count_from(robot, k, closed[k]);
    q.insert(q.end(), closed[k].begin(), closed[k].end());
  }
  const RoundTrip trip(robot, "sdf", [&](const auto&) { return q; });
  EXPECT_EQ(unsaid(robot, trip.read, trip.report), "");
  expect_same_mechanism(robot, trip, q);
}

// The joint of a closure counts from another angle than 0 at the poses of the file.
TEST(ExportLoops, KeepTheZerosOfTheirJoints) {
  for (const ClosureKind kind :
       {ClosureKind::revolute, ClosureKind::prismatic, ClosureKind::screw}) {
    SCOPED_TRACE(traits(kind).name);
    RobotDescription robot = loop(kind, "a", "c");
    ClosureDescription& closure = robot.closures[0];
    LinkDescription moved;
    moved.joint.kind = *traits(kind).joint;
    moved.joint.pitch = closure.parameter.value_or(0);
    moved.joint.placement = ScrewPlacement{.axis = closure.axes[0]};
    const double at = 0.4;
    closure.origins[0] = closure.origins[0] * inverse(motion_of_link(moved, &at));
    JointDescription& joint = closure.joint.emplace();
    joint.lower = -1, joint.upper = 1.5;
    joint.drives = {Drive{.spring = {3, 0.2}, .passive = true}};
    const RoundTrip trip(robot, "sdf");
    EXPECT_FALSE(trip.written.changes_mechanism()) << trip.report;
    EXPECT_THAT(trip.report, HasSubstr("closure 'loop' 0.4"));
    EXPECT_LT(difference_of_dynamics(robot, trip.read, trip.report), 1e-12);
    const auto a = build(robot), b = build(trip.read);
    const Joint &before = a->joints[size_t(a->joint("loop"))],
                &after = b->joints[size_t(b->joint("loop"))];
    EXPECT_NEAR(after.lower, before.lower, 1e-15);
    EXPECT_NEAR(after.upper, before.upper, 1e-15);
    EXPECT_NEAR(trip.read.closures[0].joint->drives.at(0).spring.rest, 0.2, 1e-15);
  }
}

// Two trees that float, and one that floats next to one that does not. The loop closes at the
// floating links, which a joint of SDF would otherwise attach, or beyond them.
TEST(ExportLoops, BetweenTwoTrees) {
  for (const ClosureKind kind : sdf_kinds)
    for (const auto& [first, second] :
         {std::pair{"a", "c"}, {"b", "d"}, {"a", "d"}, {"b", "c"}, {"e", "c"}, {"world", "a"}}) {
      SCOPED_TRACE(std::string(traits(kind).name) + " " + first + " " + second);
      RobotDescription robot = robot_of(
          {link("a", "", JointKind::floating, translation<double>({0.1, 0, 0}) * rotation_y(0.3)),
           link("b", "a", JointKind::revolute, rotation_x(0.4)),
           link("c", "", JointKind::floating, translation<double>({0, 0.3, 0}) * rotation_z(0.5)),
           link("d", "c", JointKind::revolute, translation<double>({0, 0.1, 0.2})),
           link("e", "", JointKind::revolute, rotation_x(0.7))});
      for (const size_t k : {0, 2}) {
        robot.links[k].joint.name = k == 0 ? "floating_base" : "floating_base_2";
        robot.links[k].joint.drives.assign(6, Drive{.passive = true});
      }
      robot.closures = loop(kind, first, second).closures;
      const Pose<double> X_WE = translation<double>({0.5, 0.2, 0.1}) * rotation_x(1.1);
      const auto X_R = exporting::poses_at_zero(robot);
      for (size_t k = 0; k < 2; ++k) {
        const std::string& name = robot.closures[0].frames[k];
        robot.closures[0].origins[k] = inverse(X_R.at(name == "world" ? "" : name)) * X_WE;
      }
      const RoundTrip trip(robot, "sdf");
      const auto model = build(robot);
      EXPECT_EQ(build(trip.read)->n_v, 15);
      EXPECT_EQ(trip.read.closures.size(), 1u);
      expect_same_mechanism(robot, trip, neutral(*model));
    }
}

}  // namespace
}  // namespace torsor::test::export_loops
