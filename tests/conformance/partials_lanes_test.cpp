// Tests of partial derivatives of inverse dynamics for numbers of dof around the numbers of lanes
// of registers, and for dof in ascending and descending order along a chain.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"

namespace torsor::test {
namespace {

class PartialsInLanes : public testing::TestWithParam<int> {
 protected:
  // Compares the derivatives with differences. tau is quadratic in v, so central differences of any
  // step are exact in v.
  void expect_differences(const std::shared_ptr<const Model>& model) {
    Random random{500 + uint64_t(GetParam())};
    const int n = model->n_v;
    State state = random_state(model, random);
    add_random_wrenches(random, state);
    state.set_world_motion({random.vector(1), random.vector(2)},
                           {random.vector(1), random.vector(2)});
    const Vector vdot = to_vector(random_values(random, n, 3));
    TestSolver solver("newton_euler", model);
    Matrix dq(n, n), dv(n, n), expected_dq(n, n), expected_dv(n, n);
    ASSERT_TRUE(solver.solver().inverse_partials(state, vdot.data(), {dq.data(), dv.data()}));
    for (int k = 0; k < n; ++k) {
      const Vector unit = Vector::Unit(n, k);
      const auto side = [&](double of_q, double of_v) {
        State there = state;
        std::vector<double> q(state.q().begin(), state.q().end());
        integrate(*model, q.data(), unit.data(), of_q, q.data());
        there.set_q(q);
        there.v[size_t(k)] += of_v;
        return solver.inverse(there, vdot);
      };
      const double h = 1e-5;
      expected_dq.col(k) = (side(h, 0) - side(-h, 0)) / (2 * h);
      expected_dv.col(k) = (side(0, 1) - side(0, -1)) / 2;
    }
    // The differences have the rounding error of tau, also if they vanish, as for one dof.
    const double scale = expected_dv.norm() + solver.inverse(state, vdot).norm();
    EXPECT_TRUE(close(dv, expected_dv, scale, 1e-12));
    EXPECT_TRUE(close(dq, expected_dq, expected_dq.norm(), 1e-7));
  }
};
INSTANTIATE_TEST_SUITE_P(Dof, PartialsInLanes,
                         testing::Values(1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 33));

TEST_P(PartialsInLanes, OfTreesEqualDifferences) {
  expect_differences(build(random_robot(GetParam(), Shape::tree, uint64_t(GetParam()))));
}

// The dof of a parent come before those of its child in one robot, and after them in the other.
TEST_P(PartialsInLanes, OfChainsInBothOrdersEqualDifferences) {
  RobotDescription robot;
  robot.name = "chain";
  Random random{uint64_t(GetParam())};
  for (int i = 0; i < GetParam(); ++i) {
    LinkDescription link;
    link.name = "link" + std::to_string(i);
    if (i > 0) link.parent = robot.links.back().name;
    link.joint.name = "joint" + std::to_string(i);
    link.joint.kind = i % 3 == 1 ? JointKind::prismatic : JointKind::revolute;
    link.joint.placement = ScrewPlacement{.X_PL = random.pose(0.3), .axis = random.direction()};
    link.inertia = random_inertia(random, 0.1, 2);
    robot.links.push_back(std::move(link));
  }
  expect_differences(build(robot));
  std::vector<std::string> names;
  for (const LinkDescription& link : robot.links) names.insert(names.begin(), link.joint.name);
  robot.dof_order = names;
  expect_differences(build(robot));
}

}  // namespace
}  // namespace torsor::test
