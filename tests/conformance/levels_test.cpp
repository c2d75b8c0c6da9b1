// Tests of the recursions with one body per lane (sdk/levels.hpp) against those with one body at a
// time, for each number of lanes.

#include <gtest/gtest.h>

#include <cmath>

#include "articulated_body/levels.hpp"
#include "conformance/flat_tree.hpp"
#include "conformance/raw_solver.hpp"
#include "conformance/solvers.hpp"
#include "newton_euler/levels.hpp"

namespace torsor::test {
namespace {

template <class Lanes>
class InLanes : public testing::Test {
 protected:
  static constexpr int N = Lanes::value;

  // Compares the recursions in a moving world.
  void expect_equal(FlatTree tree) {
    tree.V_W = {{0.3, -0.7, 1.1}, {2, 0.5, -1}};
    tree.A_W = {{-0.6, 0.4, 0.9}, {1, -2, 9}};
    const torsor_model model = tree.model();
    const torsor_state state = tree.state();
    const std::vector<sdk::JointAxis> axes = sdk::joint_axes(model);
    const sdk::Levels<N> levels(model, axes, 1);
    const Vector given = to_vector(random_values(random, model.n_v, 5));
    EXPECT_TRUE(agree(inverse(levels, state, given), inverse(model, axes, state, given)));
    EXPECT_TRUE(agree(forward(levels, state, given), forward(model, axes, state, given)));
    EXPECT_TRUE(agree(mass_matrix(levels, model, state), mass_matrix(model, axes, state)));
  }

  Random random{17};

 private:
  static Vector inverse(const torsor_model& model, const std::vector<sdk::JointAxis>& axes,
                        const torsor_state& state, const Vector& vdot) {
    std::vector<newton_euler::BodyMotion<double>> body(size_t(model.n_body));
    Vector tau(model.n_v);
    newton_euler::inverse(model, axes.data(), sdk::poses(state), state.v, vdot.data(),
                          sdk::world_twist(state), sdk::world_acceleration(state),
                          sdk::wrenches(state), body.data(), tau.data());
    return tau;
  }
  static Vector inverse(const sdk::Levels<N>& levels, const torsor_state& state,
                        const Vector& vdot) {
    const size_t size = newton_euler::InverseLanes<N>::doubles(levels);
    WorkArea work(size + 1, NAN);
    Vector tau(vdot.size());
    newton_euler::inverse(levels, sdk::poses(state), state.v, vdot.data(), sdk::world_twist(state),
                          sdk::world_acceleration(state), sdk::wrenches(state),
                          newton_euler::InverseLanes<N>(work.data(), levels), tau.data());
    EXPECT_TRUE(std::isnan(work.data()[size])) << "wrote beyond its work area";
    return tau;
  }
  static Vector forward(const torsor_model& model, const std::vector<sdk::JointAxis>& axes,
                        const torsor_state& state, const Vector& tau) {
    std::vector<articulated_body::ArticulatedBody<double>> body(size_t(model.n_body));
    std::vector<articulated_body::Column<double>> column(size_t(model.n_v));
    Vector vdot(model.n_v);
    articulated_body::forward(model, axes.data(), sdk::poses(state), state.v, tau.data(),
                              sdk::world_twist(state), sdk::world_acceleration(state),
                              sdk::wrenches(state), body.data(), column.data(), vdot.data());
    return vdot;
  }
  static Vector forward(const sdk::Levels<N>& levels, const torsor_state& state,
                        const Vector& tau) {
    const size_t size = articulated_body::ForwardLanes<N>::doubles(levels);
    WorkArea work(size + 1, NAN);
    Vector vdot(tau.size());
    articulated_body::forward(levels, sdk::poses(state), state.v, tau.data(),
                              sdk::world_twist(state), sdk::world_acceleration(state),
                              sdk::wrenches(state),
                              articulated_body::ForwardLanes<N>(work.data(), levels), vdot.data());
    EXPECT_TRUE(std::isnan(work.data()[size])) << "wrote beyond its work area";
    return vdot;
  }
  static Matrix mass_matrix(const torsor_model& model, const std::vector<sdk::JointAxis>& axes,
                            const torsor_state& state) {
    std::vector<SpatialInertia<double>> composite(size_t(model.n_body));
    std::vector<double> momenta(6 * size_t(model.n_v));
    Matrix M(model.n_v, model.n_v);
    composite_body::mass_matrix(
        model, axes.data(), sdk::Subtrees(model), sdk::poses(state), composite.data(),
        composite_body::Wrenches<double>(momenta.data(), model.n_v), M.data());
    return M;
  }
  static Matrix mass_matrix(const sdk::Levels<N>& levels, const torsor_model& model,
                            const torsor_state& state) {
    const size_t size = newton_euler::MassLanes<N>::doubles(levels);
    WorkArea work(size + 1, NAN);
    Matrix M(model.n_v, model.n_v);
    newton_euler::mass_matrix(levels, sdk::poses(state), model.n_v,
                              newton_euler::MassLanes<N>(work.data(), levels), M.data());
    EXPECT_TRUE(std::isnan(work.data()[size])) << "wrote beyond its work area";
    return M;
  }
};
using NumbersOfLanes =
    testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, sdk::level_lanes>,
                   std::integral_constant<int, native_lanes>>;
TYPED_TEST_SUITE(InLanes, NumbersOfLanes);

TYPED_TEST(InLanes, EqualOneBodyAtATime) {
  this->expect_equal(wide_tree(this->random));
  this->expect_equal(general_tree(this->random));
  this->expect_equal(almost_along_z(this->random));
}

// Draws the parents: some bodies have no children, and others have many.
TYPED_TEST(InLanes, EqualOneBodyAtATimeOnRandomTrees) {
  for (int n = 1; n < 40; n += 3) {
    FlatTree tree;
    for (int i = 1; i <= n; ++i)
      tree.add(this->random, this->random.below(i), this->random.below(4) > 0 ? 1 : 3);
    tree.number_columns(this->random);
    for (int i = 1; i <= n; ++i)
      if (const size_t k = size_t(tree.v_index[size_t(i)]); this->random.below(3) > 0) {
        const std::array<double, 6> z{0, 0, 1, 0, 0, 0};
        std::ranges::copy(z, &tree.S_B[6 * k]);
      }
    SCOPED_TRACE(n);
    this->expect_equal(tree);
  }
}

// No kernel uses the levels of such a tree, and their tables would have n^2 entries.
TEST(Levels, OfAChainWithAShortBranchHaveNoTables) {
  Random random(3);
  FlatTree tree;
  for (int i = 0; i < 50; ++i) tree.add(random, i, 1);
  tree.add(random, 0, 1);
  tree.number_columns(random);
  const torsor_model model = tree.model();
  const std::vector<sdk::JointAxis> axes = sdk::joint_axes(model);
  EXPECT_EQ(sdk::Levels<4>(model, axes).n_pair(), 0u);
  EXPECT_GT(sdk::Levels<4>(model, axes, 1).n_pair(), 1000u);
}

TEST(Levels, AreChosenForAWideTree) {
  if (sdk::level_lanes < 4) GTEST_SKIP() << "two lanes are not worth the moves between lanes";
  Random random(1);
  const FlatTree tree = wide_tree(random);
  const torsor_model model = tree.model();
  EXPECT_GE(sdk::Levels<sdk::level_lanes>(model, sdk::joint_axes(model)).bodies_per_group(), 2);
}

// The first joint without inertia, from the leaves to the world, is that of the last body.
TEST(Levels, ReportTheFirstSingularBodyFromTheLeaves) {
  Random random(2);
  FlatTree tree = wide_tree(random);
  for (const size_t i : {26, 33, 35}) {
    ASSERT_EQ(tree.v_count[i], 1);
    tree.inertia_B[i] = SpatialInertia<double>::zero();
    tree.armature[size_t(tree.v_index[i])] = 0;
  }
  const torsor_model model = tree.model();
  const RawSolver solver(build_registry().find<Solver>("articulated_body"), model);
  WorkArea work(solver.work_doubles());
  const Vector tau = Vector::Ones(model.n_v);
  Vector vdot(model.n_v);
  EXPECT_EQ(solver.call(Quantity::forward, tree.state(), tau.data(), work.data(), vdot.data()),
            TORSOR_STATUS(TORSOR_SINGULAR, 35));
}

}  // namespace
}  // namespace torsor::test
