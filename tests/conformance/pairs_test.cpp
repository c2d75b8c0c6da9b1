// Compares every two solvers on all random robots. Each quantity is compared by the rule of
// support/agreement.hpp.

#include <gtest/gtest.h>

#include "conformance/random_case.hpp"

namespace torsor::test {
namespace {

using Pair = std::pair<std::string, std::string>;

std::vector<Pair> all_pairs() {
  const std::vector<std::string> ids = solver_ids("planar_n_link");
  std::vector<Pair> pairs;
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t j = 0; j < i; ++j) pairs.emplace_back(ids[j], ids[i]);
  return pairs;
}

bool for_any_tree(const Pair& pair) {
  const auto any = [](const std::string& id) {
    return build_registry().find<Solver>(id).family.empty();
  };
  return any(pair.first) && any(pair.second);
}

class Pairs : public testing::TestWithParam<Pair> {
 protected:
  // Returns all G_ijk. Unlike C, they are unique.
  static Matrix symbols(TestSolver& solver, const State& state) {
    const int n = state.model().n_v;
    Matrix all(n * n, n);
    const std::vector<Matrix> G = solver.christoffel_symbols(state);
    for (int i = 0; i < n; ++i) all.middleRows(i * n, n) = G[size_t(i)];
    return all;
  }
  static void expect_agreement(TestSolver& a, TestSolver& b, State& state, Random& random) {
    const int n = state.model().n_v;
    const Matrix M = a.mass_matrix(state), C_a = a.coriolis_matrix(state),
                 C_b = b.coriolis_matrix(state);
    const Vector v = velocity(state), bias = a.bias(state);
    EXPECT_TRUE(agree(b.mass_matrix(state), M));
    EXPECT_TRUE(agree_inverse(b.inverse_mass_matrix(state), a.inverse_mass_matrix(state), M));
    EXPECT_TRUE(agree(C_b * v, C_a * v));
    EXPECT_TRUE(close(C_b + C_b.transpose(), C_a + C_a.transpose(), C_a.norm(), agreement));
    EXPECT_TRUE(agree(b.gravity(state), a.gravity(state)));
    EXPECT_TRUE(agree(b.bias(state), bias));
    EXPECT_TRUE(agree(symbols(b, state), symbols(a, state)));
    add_random_wrenches(random, state);
    const Vector vdot = to_vector(random_values(random, n, 5)),
                 tau = to_vector(random_values(random, n, 50));
    const Vector loaded_bias = a.inverse(state, Vector::Zero(n)), forward = b.forward(state, tau);
    EXPECT_TRUE(agree(b.inverse(state, vdot), a.inverse(state, vdot)));
    EXPECT_TRUE(agree_acceleration(forward, a.forward(state, tau), M));
    EXPECT_TRUE(satisfies_equation_of_motion(M, forward, loaded_bias, tau));
  }
};
std::string pair_name(const testing::TestParamInfo<Pair>& test) {
  return test.param.first + "_and_" + test.param.second;
}
INSTANTIATE_TEST_SUITE_P(Solvers, Pairs, testing::ValuesIn(all_pairs()), pair_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Pairs);  // a folder with one solver has no pairs

class PairsForAnyTree : public Pairs {};
std::vector<Pair> pairs_for_any_tree() {
  std::vector<Pair> pairs = all_pairs();
  std::erase_if(pairs, [](const Pair& pair) { return !for_any_tree(pair); });
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(Solvers, PairsForAnyTree, testing::ValuesIn(pairs_for_any_tree()),
                         pair_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PairsForAnyTree);

TEST_P(Pairs, AgreeInEveryQuantity) {
  std::vector<RobotCase> robots(std::begin(planar_cases), std::end(planar_cases));
  if (for_any_tree(GetParam()))
    robots.insert(robots.end(), std::begin(random_cases), std::end(random_cases));
  for (const RobotCase& robot : robots) {
    SCOPED_TRACE(case_name(robot));
    const auto model = build(described(robot));
    TestSolver a(GetParam().first, model), b(GetParam().second, model);
    Random random(2000 + robot.seed);
    for (int sample = 0; sample < 3; ++sample) {
      State state = random_state(model, random);
      expect_agreement(a, b, state, random);
    }
  }
}

void add_link(Random& random, RobotDescription& robot, const std::string& parent, JointKind kind,
              const Vec3<double>& axis, const Pose<double>& X_PL) {
  LinkDescription link;
  link.name = "link" + std::to_string(robot.links.size());
  if (!parent.empty()) link.parent = parent;
  link.joint.name = "joint" + std::to_string(robot.links.size());
  link.joint.kind = kind;
  link.joint.placement = ScrewPlacement{.X_PL = X_PL, .axis = axis};
  link.inertia = random_inertia(random, 0.3, 3);
  robot.links.push_back(link);
}

// Checks an arm on two crossed prismatic joints, at 10 km along each. The distance must not cost
// digits.
TEST_P(PairsForAnyTree, AgreeFarFromTheRoot) {
  Random random(7);
  RobotDescription robot;
  robot.name = "far";
  const auto add = [&](JointKind kind, const Vec3<double>& axis, const Pose<double>& X_PL) {
    add_link(random, robot, robot.links.empty() ? "" : robot.links.back().name, kind, axis, X_PL);
  };
  add(JointKind::prismatic, {1, 0, 0}, Pose<double>::identity());
  add(JointKind::prismatic, {0, 1, 0}, Pose<double>::identity());
  for (int k = 0; k < 5; ++k) add(JointKind::revolute, random.direction(), random.pose(0.5));
  const auto model = build(robot);
  TestSolver a(GetParam().first, model), b(GetParam().second, model);
  State state = random_state(model, random);
  std::vector<double> q(state.q().begin(), state.q().end());
  q[0] = 1e4;
  q[1] = -1e4;
  state.set_q(q);
  expect_agreement(a, b, state, random);
}

// Checks eight arms of two links that stand 10 km from the origin of the world. The kernels that
// compute bodies in lanes take such a wide tree.
TEST_P(PairsForAnyTree, AgreeOnArmsFarFromTheOrigin) {
  Random random(8);
  RobotDescription robot;
  robot.name = "far_arms";
  for (int k = 0; k < 8; ++k) {
    Pose<double> X_WL = random.pose(0.5);
    X_WL.p += 1e4 * random.direction();
    add_link(random, robot, "", JointKind::revolute, random.direction(), X_WL);
    add_link(random, robot, robot.links.back().name, JointKind::revolute, random.direction(),
             random.pose(0.5));
  }
  const auto model = build(robot);
  TestSolver a(GetParam().first, model), b(GetParam().second, model);
  State state = random_state(model, random);
  expect_agreement(a, b, state, random);
}

}  // namespace
}  // namespace torsor::test
