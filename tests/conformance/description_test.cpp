// Tests of equivalent descriptions, which must have the same dynamics: one arm in four
// descriptions, and one robot whose fixed links are merged by hand or by the builder.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/described_arm.hpp"

namespace torsor::test {
namespace {

class Described : public testing::TestWithParam<std::string> {
 protected:
  // Checks that the quantities of a solver agree for two robots in the same random states.
  void expect_same_dynamics(const RobotDescription& one, const RobotDescription& other) {
    const auto a = build(one), b = build(other);
    ASSERT_EQ(a->n_v, b->n_v);
    TestSolver ask_a(GetParam(), a), ask_b(GetParam(), b);
    Random random(31);
    for (int sample = 0; sample < 3; ++sample) {
      const State at_a = random_state(a, random);
      State at_b(b);
      at_b.set_q(at_a.q());
      at_b.v = at_a.v;
      at_b.set_gravity(at_a.gravity_W());
      const Vector vdot = to_vector(random_values(random, a->n_v, 5));
      EXPECT_TRUE(agree(ask_b.mass_matrix(at_b), ask_a.mass_matrix(at_a)));
      EXPECT_TRUE(agree(ask_b.inverse(at_b, vdot), ask_a.inverse(at_a, vdot)));
      EXPECT_TRUE(agree(ask_b.gravity(at_b), ask_a.gravity(at_a)));
      const Vector tau = to_vector(random_values(random, a->n_v, 50));
      EXPECT_TRUE(agree_acceleration(ask_b.forward(at_b, tau), ask_a.forward(at_a, tau),
                                     ask_a.mass_matrix(at_a)));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Solvers, Described, testing::ValuesIn(solver_ids()),
                         [](const auto& solver) { return solver.param; });

TEST_P(Described, FourDescriptionsOfOneArmAgree) {
  for (const Description description : all_descriptions)
    expect_same_dynamics(described_arm(Description::modified_dh), described_arm(description));
}

TEST_P(Described, FramesAtTheComChangeNothing) {
  RobotDescription com = random_robot(8, Shape::tree, 2, Kinds::every);
  com.com_frames = true;
  expect_same_dynamics(random_robot(8, Shape::tree, 2, Kinds::every), com);
}

// Checks a description with the links in reverse order. The order of the dof is given by the names
// of the joints, so nothing changes.
TEST_P(Described, TheOrderOfLinksDoesNotMatter) {
  RobotDescription reversed = random_robot(8, Shape::tree, 3, Kinds::every);
  std::reverse(reversed.links.begin(), reversed.links.end());
  expect_same_dynamics(random_robot(8, Shape::tree, 3, Kinds::every), reversed);
}

// Checks a payload of two links that are attached by fixed joints, or added to the inertia of the
// link by hand.
TEST_P(Described, FixedLinksAreOneBody) {
  Random random(4);
  RobotDescription bolted = described_arm(Description::screws), lumped = bolted;
  const Pose<double> X_LP = random.pose(0.3), X_PQ = random.pose(0.3);
  const SpatialInertia<double> payload = random_inertia(random, 0.2, 5),
                               tip = random_inertia(random, 0.1, 1);
  lumped.links[3].inertia =
      lumped.links[3].inertia + transform(X_LP, payload) + transform(X_LP * X_PQ, tip);
  LinkDescription first, second;
  first.name = "payload";
  first.parent = bolted.links[3].name;
  first.joint.placement = ScrewPlacement{.X_PL = X_LP};
  first.inertia = payload;
  second.name = "tip";
  second.parent = "payload";
  second.joint.placement = ScrewPlacement{.X_PL = X_PQ};
  second.inertia = tip;
  bolted.links.push_back(first);
  bolted.links.push_back(second);
  expect_same_dynamics(lumped, bolted);
}

// Checks that two robots in one world do not affect each other.
TEST_P(Described, TwoRobotsAreIndependent) {
  const RobotDescription arm = described_arm(Description::standard_dh);
  RobotDescription left = arm, right = arm;
  left.name = "left";
  right.name = "right";
  ModelBuilder world;
  world.add(left);
  world.add(right);
  const auto pair = world.build(), single = build(arm);
  TestSolver ask_pair(GetParam(), pair), ask_single(GetParam(), single);
  Random random(6);
  const State one = random_state(single, random), two = random_state(single, random);
  State both(pair);
  std::vector<double> q(one.q().begin(), one.q().end());
  q.insert(q.end(), two.q().begin(), two.q().end());
  both.set_q(q);
  both.v = one.v;
  both.v.insert(both.v.end(), two.v.begin(), two.v.end());
  State second = two;
  second.set_gravity(one.gravity_W());
  both.set_gravity(one.gravity_W());
  const Matrix M = ask_pair.mass_matrix(both);
  EXPECT_TRUE(agree(M.topLeftCorner(6, 6), ask_single.mass_matrix(one)));
  EXPECT_TRUE(agree(M.bottomRightCorner(6, 6), ask_single.mass_matrix(second)));
  EXPECT_EQ(M.topRightCorner(6, 6).norm(), 0);
  const Vector tau = to_vector(random_values(random, 12, 20)), vdot = ask_pair.forward(both, tau);
  EXPECT_TRUE(agree_acceleration(vdot.head(6), ask_single.forward(one, tau.head(6)),
                                 M.topLeftCorner(6, 6)));
  EXPECT_TRUE(agree_acceleration(vdot.tail(6), ask_single.forward(second, tau.tail(6)),
                                 M.bottomRightCorner(6, 6)));
}

}  // namespace
}  // namespace torsor::test
