// Tests of the factor of G, the matrix of the dof, and the interior point method.

#include "torsor/sdk/constraints/interior_point.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "constraints/heaps.hpp"
#include "torsor/constraints/multiplier_solver.hpp"

namespace torsor::test {
namespace {

Heap random_heap(uint64_t seed, PileShape shape) {
  Random random(seed);
  return Heap(random_pile(random, shape));
}

// Removes a column of each body from the rows of each contact. Rows of a tree skip the dof of other
// branches, too.
Heap with_gaps(RandomProblem p, Random& random) {
  Eigen::Index end = p.c.size();
  for (size_t k = p.frictions.size(); k-- > 0;) {
    const Eigen::Index first = p.frictions[k].normal;
    if (k > 0 && p.frictions[k - 1].normal == first) continue;
    for (Eigen::Index node = 0; node < p.X.cols(); node += 6)
      p.X.block(first, node + random.below(6), end - first, 1).setZero();
    end = first;
  }
  p.G = p.X * p.X.transpose();
  return Heap(std::move(p));
}

// Returns X of a factor, without its order of columns.
RowMatrix dense(const torsor_constraint_factor& factor, Eigen::Index n) {
  RowMatrix out = RowMatrix::Zero(n, factor.n_dofs);
  for (Eigen::Index i = 0; i < n; ++i)
    for (int k = factor.row_start[i]; k < factor.row_start[i + 1]; ++k)
      out(i, factor.column[k]) = factor.value[k];
  return out;
}

TEST(RowFactor, IsAFactorOfG) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Heap heap = random_heap(seed, {.bodies = 10, .contacts = 15, .has_faces = true});
    Eigen::MatrixXd G = heap.p.G;
    heap.compliance[3] = 0.25;
    G(3, 3) += 0.25;
    RowFactor rows;
    const HalfRows halves = heap.halves();
    const torsor_constraint_factor* factor = rows.evaluate(halves, heap.rows, heap.head);
    ASSERT_TRUE(factor);
    EXPECT_EQ(factor->n_nodes, 11);
    EXPECT_EQ(factor->n_dofs, 61);
    const RowMatrix X = dense(*factor, G.rows());
    EXPECT_LT((X * X.transpose() - G).cwiseAbs().maxCoeff(), 1e-13 * G.cwiseAbs().maxCoeff());
    for (const torsor_friction& friction : heap.p.frictions)
      for (int i = friction.first; i < friction.first + friction.count; ++i)
        EXPECT_TRUE(std::equal(factor->column + factor->row_start[i],
                               factor->column + factor->row_start[i + 1],
                               factor->column + factor->row_start[friction.normal],
                               factor->column + factor->row_start[friction.normal + 1]));
  }
}

TEST(RowFactor, DoesNotExistWithHeldRows) {
  const Heap heap = random_heap(1, {.bodies = 3, .contacts = 4});
  HalfRows halves = heap.halves();
  halves.node = halves.node.first(17);  // the last component is one of a held row
  RowFactor rows;
  EXPECT_FALSE(rows.evaluate(halves, heap.rows, heap.head));
}

// Solves with 1 + X^T W X for random blocks W whose symmetric part is positive definite, and
// compares with a dense solution.
TEST(DofMatrix, SolvesLikeADenseMatrix) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const int bodies = 2 + 4 * int(seed % 9);
    Random random(seed);
    RandomProblem p = random_pile(random, {.bodies = bodies,
                                           .contacts = 2 * bodies,
                                           .mass_ratio = 1e4,
                                           .has_faces = seed % 2 == 0,
                                           .has_rolling = seed % 3 == 0});
    const Heap heap = seed % 5 < 2 ? Heap(std::move(p)) : with_gaps(std::move(p), random);
    RowFactor rows;
    const HalfRows halves = heap.halves();
    ConstraintProblem problem = heap.problem();
    problem.factor = rows.evaluate(halves, heap.rows, heap.head);
    problem.factor_entries = rows.entries();
    const torsor_constraint_problem view = problem.view();
    const auto n = heap.p.c.size();
    Eigen::VectorXd d = heap.p.G.diagonal().cwiseSqrt();
    std::vector<double> work(sdk::DofMatrix::work_doubles(problem.size()));
    sdk::DofMatrix matrix(view, d.data(), work.data());
    const RowMatrix X = d.cwiseInverse().asDiagonal() * dense(*problem.factor, n);
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
    matrix.reset();
    sdk::for_each_block(
        view, [](int) {},
        [&](const sdk::Contact& contact) {
          constexpr int most = sdk::Contact::most_rows;
          const int size = contact.n_rows();
          Eigen::MatrixXd block = Eigen::MatrixXd::Identity(size, size).unaryExpr([&](double one) {
            return 5 * one + random.uniform(-1, 1);
          });
          block *= std::pow(10, random.uniform(-3, 6));
          W.block(contact.first(), contact.first(), size, size) = block;
          double entries[most * most];
          for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j) entries[i * most + j] = block(i, j);
          matrix.add(contact.first(), size, entries);
        });
    ASSERT_TRUE(matrix.compute());
    const Eigen::Index n_dofs = X.cols();
    const Eigen::MatrixXd dense_matrix =
        Eigen::MatrixXd::Identity(n_dofs, n_dofs) + X.transpose() * W * X;
    const Eigen::VectorXd right = Eigen::VectorXd::Random(n_dofs);
    Eigen::VectorXd x = right;
    matrix.solve(x.data());
    EXPECT_LT((dense_matrix * x - right).norm(), 1e-11 * dense_matrix.norm() * x.norm());
    const Eigen::VectorXd other = dense_matrix.partialPivLu().solve(right);
    EXPECT_LT((x - other).norm(), 1e-8 * other.norm()) << "seed " << seed;
  }
}

// Solves a heap with its factor. Returns the residual.
double solve(Heap& heap, MultiplierSolver& solver) {
  const HalfRows halves = heap.halves();
  EXPECT_TRUE(solver.solve_contacts(heap.problem(), heap.result(), &halves));
  EXPECT_NEAR(solver.contact_residual(), sdk::residual_of(heap.p.view(), heap.lambda.data()),
              1e-10);
  return solver.contact_residual();
}

TEST(InteriorPoint, SolvesHeaps) {
  MultiplierSolver solver;
  int quick = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Heap heap = random_heap(seed, {.bodies = 20,
                                   .contacts = 24,
                                   .mass_ratio = seed % 2 == 0 ? 1e4 : 1,
                                   .has_faces = true,
                                   .has_rolling = seed % 3 == 0});
    ASSERT_GT(heap.p.c.size(), 150);
    EXPECT_LT(solve(heap, solver), 1e-6);
    EXPECT_LT(contact_violation(heap.p, heap.lambda), 1e-4);
    quick += solver.iterations() <= 60;
  }
  EXPECT_GT(quick, 25);
}

// Without friction, the rates of the normal rows are unique.
TEST(InteriorPoint, AgreesWithTheMethodsWithoutAFactor) {
  MultiplierSolver with, without;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Heap heap = random_heap(seed, {.bodies = 15, .contacts = 25, .has_faces = true}), other = heap;
    for (Heap* each : {&heap, &other})
      for (torsor_friction& friction : each->p.frictions) friction.mu = 0;
    EXPECT_LT(solve(heap, with), 1e-8);
    ASSERT_TRUE(without.solve_contacts(other.problem(), other.result()));
    EXPECT_LT((heap.p.rates(heap.lambda) - other.p.rates(other.lambda)).lpNorm<Eigen::Infinity>(),
              1e-6 * heap.p.c.lpNorm<Eigen::Infinity>());
  }
}

// Rows with both bounds, with one, and free ones are part of an island, such as joint friction.
TEST(InteriorPoint, SolvesRowsWithBounds) {
  MultiplierSolver solver;
  int solved = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    RandomProblem p = random_pile(random, {.bodies = 30, .contacts = 60});
    // Every third contact becomes three rows with bounds.
    for (size_t k = p.frictions.size() / 3 * 3; k >= 3; k -= 3) {
      const auto row = p.frictions[k - 1].normal;
      const double most = random.uniform(0.01, 0.3) / std::sqrt(p.G(row, row));
      p.lower[row + 1] = -most, p.upper[row + 1] = most;
      p.lower[row + 2] = -HUGE_VAL, p.upper[row + 2] = random.below(2) == 0 ? 0 : HUGE_VAL;
      p.frictions.erase(p.frictions.begin() + std::ptrdiff_t(k) - 1);
    }
    Heap heap(std::move(p));
    solved += solve(heap, solver) < 1e-6;
    for (Eigen::Index i = 0; i < heap.lambda.size(); ++i)
      if (heap.head[size_t(i)] == i) {
        EXPECT_GE(heap.lambda[i], heap.p.lower[i]);
        EXPECT_LE(heap.lambda[i], heap.p.upper[i]);
      }
  }
  EXPECT_GE(solved, 17);
}

// A contact whose normal force is fixed at 0 has no forces, as postponed impacts.
TEST(InteriorPoint, LeavesOutContactsWithoutForce) {
  MultiplierSolver solver;
  Heap heap = random_heap(5, {.bodies = 20, .contacts = 60});
  const auto normal = heap.p.frictions[7].normal;
  heap.p.upper[normal] = 0;
  EXPECT_LT(solve(heap, solver), 1e-6);
  EXPECT_EQ(heap.lambda.segment(normal, 3).norm(), 0);
}

TEST(InteriorPoint, RepeatsItsBitsAndStartsFromItsResult) {
  MultiplierSolver solver;
  Heap heap = random_heap(4, {.bodies = 20, .contacts = 24, .has_faces = true});
  const double residual = solve(heap, solver);
  const Eigen::VectorXd first = heap.lambda;
  solve(heap, solver);
  EXPECT_EQ(heap.lambda, first);
  const HalfRows halves = heap.halves();
  ConstraintProblem again = heap.problem();
  again.start = {first.data(), size_t(first.size())};
  ASSERT_TRUE(solver.solve_contacts(again, heap.result(), &halves));
  EXPECT_LE(solver.contact_residual(), std::max(1.01 * residual, 1e-8));
}

}  // namespace
}  // namespace torsor::test
