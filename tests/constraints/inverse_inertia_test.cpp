// Tests of the accelerations under eliminated rows, against dense matrices.

#include "torsor/constraints/inverse_inertia.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/dense_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

struct Case {
  std::shared_ptr<const Model> model;
  std::vector<Row> rows;
  Eigen::MatrixXd M;
};

// A random tree, and rows between random dof: two ratios and a sum of three rates.
Case random_case(uint64_t seed, size_t n_rows) {
  Case out;
  out.model = build(random_robot(9, Shape::tree, seed, Kinds::every));
  Random random(seed);
  State state(out.model);
  state.set_q(random_position(random, *out.model, 1));
  out.M = DenseDynamics(out.model->view(), state.view()).M;
  const int n = out.model->n_v;
  for (size_t r = 0; r < n_rows; ++r) {
    const int first = int(r);
    Row row{{first, 1}, {n - 1 - int(r), -0.3 - 0.2 * double(r)}};
    if (r == 2) row.push_back({n / 2, 0.7});
    out.rows.push_back(row);
  }
  return out;
}

std::vector<ConstraintRow> constraints_of(const std::vector<Row>& rows) {
  std::vector<ConstraintRow> out;
  for (const Row& row : rows) out.push_back({.row = &row});
  return out;
}

Eigen::MatrixXd matrix_of(const std::vector<Row>& rows, int n) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(Eigen::Index(rows.size()), n);
  for (size_t r = 0; r < rows.size(); ++r)
    for (const auto& [index, factor] : rows[r]) J(Eigen::Index(r), index) += factor;
  return J;
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The accelerations and the multipliers of [M, J^T; J, 0] [udot; -lambda] = [f; 0].
TEST(InverseInertia, SolvesTheEquationsWithMultipliers) {
  for (const size_t n_rows : {0, 1, 2, 3})
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      TORSOR_TRACE_SEED(seed);
      const Case c = random_case(seed, n_rows);
      const int n = c.model->n_v, m = int(n_rows);
      InverseInertia inverse(*c.model, {}, constraints_of(c.rows), {});
      const RowMajor M = c.M;
      ASSERT_EQ(inverse.factor(M.data()), -1);
      Random random(seed);
      const std::vector<double> f = random_values(random, n, 1);
      std::vector<double> udot = f;
      inverse.solve(udot.data());

      const Eigen::MatrixXd J = matrix_of(c.rows, n);
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
      K.topLeftCorner(n, n) = c.M;
      K.topRightCorner(n, m) = J.transpose();
      K.bottomLeftCorner(m, n) = J;
      Eigen::VectorXd b = Eigen::VectorXd::Zero(n + m);
      b.head(n) = Eigen::Map<const Eigen::VectorXd>(f.data(), n);
      const Eigen::VectorXd x = K.fullPivLu().solve(b);
      const Eigen::Map<const Eigen::VectorXd> found(udot.data(), n);
      const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(c.M).singularValues();
      const double tolerance = std::max(1e-10, 10 * values(0) / values(n - 1) * 2.3e-16);
      EXPECT_LT((found - x.head(n)).norm(), tolerance * x.head(n).norm());

      std::vector<double> unbalanced(size_t(n), 0.0), force(unbalanced);
      Eigen::Map<Eigen::VectorXd>(unbalanced.data(), n) = c.M * found - b.head(n);
      inverse.add_row_forces(unbalanced.data(), force.data());
      const Eigen::VectorXd expected = -J.transpose() * x.tail(m);
      EXPECT_LT((Eigen::Map<Eigen::VectorXd>(force.data(), n) - expected).norm(),
                1e-9 * std::max(1.0, expected.norm()));
    }
}

TEST(InverseInertia, DividesTheForcesOfMotorsByTheirInertia) {
  const Case c = random_case(3, 1);
  const double motors[] = {0.5, 4};
  InverseInertia inverse(*c.model, motors, constraints_of(c.rows), {});
  const RowMajor M = c.M;
  ASSERT_EQ(inverse.factor(M.data()), -1);
  std::vector<double> f(size_t(c.model->n_v) + 2, 1.0);
  inverse.solve(f.data());
  EXPECT_EQ(f[f.size() - 2], 2);
  EXPECT_EQ(f[f.size() - 1], 0.25);
}

// Armature between branches fills L.
TEST(InverseInertia, SupportsEntriesBetweenBranches) {
  const Case c = random_case(5, 2);
  const int n = c.model->n_v;
  RowMajor M = c.M;
  for (const auto& [i, j] : {std::pair{0, n - 1}, {1, n - 2}}) M(i, j) = M(j, i) += 0.01;
  std::vector<InverseInertia::Pair> pairs{{0, n - 1}, {1, n - 2}};
  InverseInertia inverse(*c.model, {}, {}, pairs);
  ASSERT_EQ(inverse.factor(M.data()), -1);
  std::vector<double> x(size_t(n), 1.0);
  inverse.solve(x.data());
  EXPECT_LT((M * Eigen::Map<Eigen::VectorXd>(x.data(), n) - Eigen::VectorXd::Ones(n)).norm(),
            1e-9 * M.norm());
}

TEST(InverseInertia, ReportsASingularDof) {
  const Case c = random_case(7, 0);
  InverseInertia inverse(*c.model, {}, {}, {});
  RowMajor M = c.M;
  M.row(2).setZero();
  M.col(2).setZero();
  EXPECT_EQ(inverse.factor(M.data()), 2);
}

TEST(Delassus, IsJTimesTheInverseOfMTimesJ) {
  const Case c = random_case(11, 3);
  const int n = c.model->n_v;
  InverseInertia inverse(*c.model, {}, {}, {});
  const RowMajor M = c.M;
  ASSERT_EQ(inverse.factor(M.data()), -1);
  Delassus delassus;
  delassus.evaluate(inverse, size_t(n), constraints_of(c.rows));
  const Eigen::MatrixXd J = matrix_of(c.rows, n), Y = c.M.fullPivLu().solve(J.transpose());
  EXPECT_LT((delassus.G - J * Y).norm(), 1e-10 * (J * Y).norm());
  const std::vector<double> lambda{0.3, -2, 1.5};
  std::vector<double> vdot(size_t(n), 0.0);
  accelerate(inverse, constraints_of(c.rows), lambda, vdot);
  const Eigen::VectorXd expected = Y * Eigen::Map<const Eigen::VectorXd>(lambda.data(), 3);
  EXPECT_LT((Eigen::Map<Eigen::VectorXd>(vdot.data(), n) - expected).norm(),
            1e-10 * expected.norm());
}

}  // namespace
}  // namespace torsor::test
