// Tests of the models that planar_lagrange, the solver of planar chains, accepts. It rejects all
// others with a reason.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "conformance/random_case.hpp"
#include "support/known_robots.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

RobotDescription three_links() {
  return planar_n_link(Eigen::Vector3d(1, 0.5, 0.7), Eigen::Vector3d(2, 1, 3));
}

std::string rejection(const RobotDescription& robot) {
  try {
    build_registry().solver("planar_lagrange", build(robot));
  } catch (const UnsupportedModel& error) {
    return error.reason;
  }
  return "";
}

ScrewPlacement& placement(LinkDescription& link) {
  return std::get<ScrewPlacement>(link.joint.placement);
}

struct Other {
  const char* name;
  std::function<void(RobotDescription&)> change;
  const char* reason;
};

class Rejected : public testing::TestWithParam<Other> {};
INSTANTIATE_TEST_SUITE_P(
    planar_lagrange, Rejected,
    testing::Values(
        Other{"family", [](RobotDescription& r) { r.family = ""; }, "family 'planar_n_link'"},
        Other{"branch", [](RobotDescription& r) { r.links[2].parent = "link1"; },
              "body 3 is not attached to the body before it"},
        Other{"slider", [](RobotDescription& r) { r.links[1].joint.kind = JointKind::prismatic; },
              "body 2 has a joint that is not revolute"},
        Other{"ball", [](RobotDescription& r) { r.links[1].joint.kind = JointKind::spherical; },
              "body 2 has a joint that is not revolute"},
        Other{"tilt",
              [](RobotDescription& r) {
                placement(r.links[1]).axis = {0, 1e-9, 1};
              },
              "body 2 has a joint axis that is not parallel"},
        Other{"sense",
              [](RobotDescription& r) {
                placement(r.links[2]).axis = {0, 0, -1};
              },
              "body 3 has a joint axis that is not parallel to the axis before it, or points the "
              "other way"},
        Other{"step", [](RobotDescription& r) { placement(r.links[1]).X_PL.p.z = 1e-6; },
              "body 2 is not in the plane of the body before it"},
        Other{"rod",
              [](RobotDescription& r) {
                r.links[2].inertia = inertia_about_com(3, {0.7, 0, 0}, {0, 1e-9, 1e-9, 0, 0, 0});
              },
              "body 3 is not a point mass"},
        Other{"above",
              [](RobotDescription& r) {
                r.links[2].inertia = inertia_about_com(3, {0.7, 0, 1e-6}, {0, 0, 0, 0, 0, 0});
              },
              "body 3 has its mass outside the plane of the joints"},
        Other{"middle",
              [](RobotDescription& r) {
                r.links[1].inertia = inertia_about_com(1, {0.4, 0, 0}, {0, 0, 0, 0, 0, 0});
              },
              "body 2 does not have its mass at the end of its link"}),
    [](const auto& other) { return std::string(other.param.name); });

TEST_P(Rejected, IfItIsNoChainOfPointMasses) {
  RobotDescription robot = three_links();
  EXPECT_EQ(rejection(robot), "");
  GetParam().change(robot);
  EXPECT_THAT(rejection(robot), HasSubstr(GetParam().reason));
}

TEST(planar_lagrange, RejectsARobotWithoutJoints) {
  RobotDescription robot = three_links();
  robot.links.resize(1);
  robot.frames.clear();
  robot.links[0].joint.kind = JointKind::fixed;
  EXPECT_THAT(rejection(robot), HasSubstr("has no joint"));
}

// Checks links without mass. In the middle of the chain, M stays regular. At the tip, M is
// singular.
TEST(planar_lagrange, AcceptsLinksWithoutMass) {
  RobotDescription robot = three_links();
  robot.links[1].inertia = SpatialInertia<double>::zero();
  const auto model = build(robot);
  Random random(3);
  const State state = random_state(model, random);
  const Vector tau = to_vector(random_values(random, 3, 10));
  TestSolver closed("planar_lagrange", model), recursive("newton_euler", model);
  EXPECT_TRUE(agree_acceleration(closed.forward(state, tau), recursive.forward(state, tau),
                                 recursive.mass_matrix(state)));
  robot.links[2].inertia = SpatialInertia<double>::zero();
  const auto bare = build(robot);
  Solver solver = build_registry().solver("planar_lagrange", bare);
  std::vector<double> out(9);
  for (const Status status :
       {solver.forward(State(bare), tau.data(), out.data()),
        solver.inverse_mass_matrix(State(bare), out.data()),
        solver.forward_partials(State(bare), tau.data(), {out.data(), out.data(), out.data()})}) {
    EXPECT_EQ(TORSOR_STATUS_CODE(status.value), TORSOR_SINGULAR);
    EXPECT_THAT(solver.explain(status), HasSubstr("'joint3'"));
  }
}

}  // namespace
}  // namespace torsor::test
