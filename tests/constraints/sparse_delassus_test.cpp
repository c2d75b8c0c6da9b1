// Tests of the sparse Delassus operator with held rows, against dense matrices.

#include "torsor/constraints/sparse_delassus.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <numeric>

#include "support/dense_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/random_state.hpp"

namespace torsor::test {
namespace {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Several free bodies, of which some carry others on a joint.
std::shared_ptr<const Model> free_bodies(Random& random, int count) {
  RobotDescription out;
  for (int k = 0; k < count; ++k) {
    LinkDescription link;
    link.name = "body" + std::to_string(k);
    link.inertia = random_inertia(random, 0.3, 2);
    link.joint.name = "joint" + std::to_string(k);
    const bool is_carried = k > 0 && random.below(3) == 0;
    if (is_carried) link.parent = "body" + std::to_string(random.below(k));
    link.joint.kind = is_carried ? JointKind::revolute : JointKind::floating;
    out.links.push_back(link);
  }
  return build(out);
}

Row random_row(Random& random, int n, int terms) {
  std::map<int, double> factors;
  for (int k = 0; k < terms; ++k) factors[random.below(n)] = random.uniform(-1, 1);
  Row out;
  for (const auto& [index, factor] : factors) out.push_back({index, factor});
  return out;
}

Eigen::MatrixXd dense_rows(const std::vector<Row>& rows, int n) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(Eigen::Index(rows.size()), n);
  for (size_t r = 0; r < rows.size(); ++r)
    for (const auto& [index, factor] : rows[r]) J(Eigen::Index(r), index) = factor;
  return J;
}

// M_h^-1 = M^-1 - M^-1 H^T (H M^-1 H^T)^-1 H M^-1 from dense matrices. Some entries of G are not
// stored, because held rows connect only some of the trees.
TEST(SparseDelassus, AgreesWithDenseMatrices) {
  int left_out = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = free_bodies(random, 2 + random.below(6));
    const int n = model->n_v;
    State state(model);
    state.set_q(random_position(random, *model, 1));
    const ByRows M = DenseDynamics(model->view(), state.view()).M;
    InverseInertia inverse(*model, {}, {}, {});
    ASSERT_EQ(inverse.factor(M.data()), -1);
    std::vector<Row> held, rows;
    for (int k = random.below(6); k > 0; --k) held.push_back(random_row(random, n, 2));
    for (int k = 0; k < 12; ++k) rows.push_back(random_row(random, n, 2));
    std::vector<ConstraintRow> constraints;
    for (const Row& row : held) constraints.push_back({.row = &row});
    ActiveConstraints active;
    active.set_permanent({}, constraints, std::vector<char>(size_t(n), 0));
    active.select(inverse);  // leaves out rows that repeat others
    SparseDelassus delassus;
    delassus.hold(inverse, size_t(n), active);
    std::vector<int> blocks(rows.size());
    std::iota(blocks.begin(), blocks.end(), 0);
    delassus.evaluate(rows, blocks);

    std::vector<Row> selected;
    for (const ConstraintRow& row : active.selected_rows()) selected.push_back(*row.row);
    const Eigen::MatrixXd J = dense_rows(rows, n), H = dense_rows(selected, n),
                          M_inverse = M.inverse();
    Eigen::MatrixXd expected = M_inverse;
    if (!selected.empty())
      expected -=
          M_inverse * H.transpose() * (H * M_inverse * H.transpose()).ldlt().solve(H * M_inverse);
    const Eigen::MatrixXd G = J * expected * J.transpose();
    Eigen::MatrixXd found = Eigen::MatrixXd::Zero(G.rows(), G.cols());
    for (int i = 0; i < int(rows.size()); ++i)
      for (int k = delassus.row_start[size_t(i)]; k < delassus.row_start[size_t(i) + 1]; ++k)
        found(i, delassus.column[size_t(k)]) = delassus.value[size_t(k)];
    EXPECT_EQ(found, found.transpose());
    EXPECT_LT((found - G).norm(), 1e-9 * (J * M_inverse * J.transpose()).norm());
    left_out += int(G.size()) - int(delassus.value.size());

    const std::vector<double> f = random_values(random, n, 1);
    std::vector<double> response(f.size());
    delassus.respond(f, response);
    const Eigen::Map<const Eigen::VectorXd> force(f.data(), n), u(response.data(), n);
    EXPECT_LT((u - expected * force).norm(), 1e-9 * (M_inverse * force).norm());
  }
  EXPECT_GT(left_out, 100);
}

}  // namespace
}  // namespace torsor::test
