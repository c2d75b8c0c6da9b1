// Tests of the factorisation L^T D L along the tree, against a dense factorisation.

#include "torsor/mechanics/tree_factor.hpp"
#include "torsor/base/linear_algebra.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "support/dense_dynamics.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

class Factor : public testing::TestWithParam<uint64_t> {
 protected:
  Factor() {
    const torsor_model flat = model->view();
    M = DenseDynamics(flat, state.view()).M;
  }
  Random random{GetParam()};
  std::shared_ptr<const Model> model = build(random_robot(14, Shape::tree, GetParam()));
  State state = random_state(model, random);
  MinPivots bounds{*model};
  std::span<const double> pivots = bounds.at(state);
  Matrix M;
};
INSTANTIATE_TEST_SUITE_P(Seeds, Factor, testing::Values(1, 2, 3, 4));

TEST_P(Factor, SolvesLikeADenseOne) {
  TreeFactor factor(*model);
  ASSERT_EQ(factor.factor(M.data(), pivots), -1);
  const Vector b = Eigen::Map<const Vector>(random_values(random, 14, 3).data(), 14);
  Vector x = b;
  factor.solve(x.data());
  const Vector dense = solve(M, b);
  EXPECT_TRUE(agree_acceleration(x, dense, M));
  EXPECT_TRUE(satisfies_equation_of_motion(M, x, Vector::Zero(14), b));
}

// Checks products with M^-1 against M, for numbers of dof below, at and above the numbers of lanes
// of registers: the residuals, and that nothing is written beyond the results. The joints are of
// every kind, and the dof are in random order.
TEST(FactorProducts, AreSolutionsForAnyNumberOfColumns) {
  for (const int n : {1, 2, 3, 5, 7, 8, 9, 12, 16, 17, 25}) {
    for (const Shape shape : {Shape::chain, Shape::tree}) {
      SCOPED_TRACE(n);
      const auto robot = build(random_robot(n, shape, uint64_t(n), Kinds::every));
      Random values(400 + uint64_t(n));
      const State at = random_state(robot, values);
      const torsor_model view = robot->view();
      const Matrix inertia = DenseDynamics(view, at.view()).M;
      const int size = robot->n_v;
      const size_t entries = size_t(size) * size_t(size);
      std::vector<double> A = random_values(values, int(entries), 3),
                          B = random_values(values, int(entries), 3);
      for (size_t k = 0; k < entries; ++k)
        if (inertia.data()[k] == 0) A[k] = B[k] = 0;  // dof of different branches
      const double guard = 12345.678;
      std::vector<double> X(entries + 8, guard), Y(X), inverse(X);
      TreeFactor factor(*robot);
      MinPivots limits(*robot);
      ASSERT_EQ(factor.factor(inertia.data(), limits.at(at)), -1);
      const sdk::InverseProduct<double> products[] = {
          {A.data(), -1, X.data()}, {B.data(), 0.5, Y.data()}, {nullptr, 1, inverse.data()}};
      factor.multiply(products);
      const auto as_matrix = [&](const std::vector<double>& x) {
        return Matrix(Eigen::Map<const Matrix>(x.data(), size, size));
      };
      // The residual of a stable solution is of the order of the rounding error of M X.
      const auto expect_solution = [&](const Matrix& solution, const Matrix& right) {
        EXPECT_TRUE(close(inertia * solution, right, inertia.norm() * solution.norm(), 1e-13));
      };
      expect_solution(as_matrix(X), -as_matrix(A));
      expect_solution(as_matrix(Y), 0.5 * as_matrix(B));
      EXPECT_TRUE(agree_inverse(as_matrix(inverse), torsor::inverse(inertia).value(), inertia));
      for (const std::vector<double>* x : {&X, &Y, &inverse})
        for (size_t k = entries; k < x->size(); ++k) EXPECT_EQ((*x)[k], guard);
    }
  }
}

// Returns a chain of revolute joints with a branch of one link at each link.
std::shared_ptr<const Model> chain_with_branches(int n) {
  RobotDescription robot;
  Random random(77);
  for (int i = 0; i < n; ++i)
    for (const char* kind : {"chain", "branch"}) {
      LinkDescription& link = robot.links.emplace_back();
      link.name = kind + std::to_string(i);
      const int parent = *kind == 'c' ? i - 1 : i;
      if (parent >= 0) link.parent = "chain" + std::to_string(parent);
      link.joint.name = "joint_of_" + link.name;
      link.joint.kind = JointKind::revolute;
      link.joint.placement = ScrewPlacement{.X_PL = random.pose(0.3), .axis = random.direction()};
      link.inertia = random_inertia(random, 0.1, 2);
    }
  return build(robot);
}

// Checks that the lists of descendants take as much memory as the entries of L, not n^3, and that
// products remain correct with the lists of large trees, which are not all restricted.
TEST(FactorProducts, TakeMemoryInProportionToTheEntries) {
  const auto robot = chain_with_branches(100);
  const size_t n = size_t(robot->n_v);
  const sdk::FactorPattern pattern(robot->view());
  std::map<int, int> lists;  // first and last entries
  for (int g = 0; g < pattern.n_groups(); ++g)
    for (const auto& row : pattern.rows(g)) lists[row.first] = row.last;
  size_t size = 0;
  for (const auto& [first, last] : lists) size += size_t(last - first);
  EXPECT_LE(size, 9 * pattern.entries());

  // M = L^T D L with D = 1.
  Random values(5);
  std::vector<double> M(n * n), A(M), X(M), Y(M), Z(M);
  for (int k = 0; k < pattern.size(); ++k) {
    std::vector<double> row = random_values(values, pattern.path_length(k), 0.1);
    row.back() = 1;
    const auto path = pattern.path(k);
    for (size_t i = 0; i < row.size(); ++i)
      for (size_t j = 0; j < row.size(); ++j)
        M[size_t(pattern.column(path[i])) * n + size_t(pattern.column(path[j]))] += row[i] * row[j];
  }
  for (size_t k = 0; k < M.size(); ++k)
    if (M[k] != 0) A[k] = values.uniform(-3, 3);
  TreeFactor factor(*robot);
  ASSERT_EQ(factor.factor(M.data(), std::vector(size_t(robot->n_body), 0.0)), -1);
  factor.multiply({{A.data(), -1, X.data()}, {A.data(), 0.5, Y.data()}, {nullptr, 1, Z.data()}});
  for (size_t j = 0; j < n; ++j) {
    Vector b(n), unit = Vector::Unit(Eigen::Index(n), Eigen::Index(j));
    for (size_t i = 0; i < n; ++i) b[Eigen::Index(i)] = A[i * n + j];
    factor.solve(b.data());
    factor.solve(unit.data());
    Vector x(n), y(n), z(n);
    for (size_t i = 0; i < n; ++i) {
      const auto k = Eigen::Index(i);
      x[k] = X[i * n + j], y[k] = Y[i * n + j], z[k] = Z[i * n + j];
    }
    ASSERT_LT((x + b).norm() + (y - 0.5 * b).norm(), 1e-12 * b.norm()) << "column " << j;
    ASSERT_LT((z - unit).norm(), 1e-12 * unit.norm()) << "column " << j;
  }
}

// Checks that an object that has factorised one matrix gives the same results for another matrix as
// a new object.
TEST_P(Factor, CanBeReusedForAnotherMatrix) {
  TreeFactor factor(*model), fresh(*model);
  const Matrix other = 3 * M;
  ASSERT_EQ(factor.factor(other.data(), pivots), -1);
  ASSERT_EQ(factor.factor(M.data(), pivots), -1);
  ASSERT_EQ(fresh.factor(M.data(), pivots), -1);
  Vector a = Vector::LinSpaced(14, -1, 1), b = a;
  factor.solve(a.data());
  fresh.solve(b.data());
  EXPECT_EQ(a, b);
}

// Checks that the matrix becomes singular if a diagonal entry is lowered by slightly more than its
// pivot. It is not singular if the entry is lowered by slightly less.
TEST_P(Factor, NamesTheSingularJoint) {
  TreeFactor factor(*model);
  const Joint& joint = model->joints[5];
  const int k = joint.v_index;
  Vector pivot = Vector::Unit(14, k);
  ASSERT_EQ(factor.factor(M.data(), pivots), -1);
  factor.solve(pivot.data());
  Matrix singular = M;
  // 1 / (M^-1)_kk is the pivot of dof k after the elimination of all other dof.
  singular(k, k) -= 1.01 / pivot[k];
  EXPECT_GE(factor.factor(singular.data(), pivots), 1);
  singular(k, k) += 0.02 / pivot[k];
  EXPECT_EQ(factor.factor(singular.data(), pivots), -1);
  Matrix no_number = M;
  no_number(k, k) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(factor.factor(no_number.data(), pivots), joint.body);
}

// Checks that the minimum pivot is at least a rounding error of the composite inertia, and far
// below the diagonal of M.
TEST_P(Factor, MinPivotsAreARoundingErrorOfTheComposite) {
  for (const Joint& joint : model->joints) {
    const double diagonal = M(joint.v_index, joint.v_index);
    EXPECT_GE(pivots[joint.body], 1e-15 * diagonal) << joint.name;
    EXPECT_LE(pivots[joint.body], 1e-8 * diagonal) << joint.name;
  }
}

}  // namespace
}  // namespace torsor::test
