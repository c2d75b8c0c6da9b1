// Tests of the quadratic programs of the SDK: against the enumeration of all active sets, the
// conditions of Karush, Kuhn and Tucker, and bounded_least_squares.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <optional>
#include <vector>

#include "support/allocation_counter.hpp"
#include "torsor/base/random.hpp"
#include "torsor/mechanics/bounded_least_squares.hpp"
#include "torsor/sdk/contact_program.hpp"

namespace torsor::test {
namespace {

using Vector = Eigen::VectorXd;
using Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Outcome = sdk::QuadraticProgram::Outcome;

struct DenseProgram {
  RowMatrix H, A;
  Vector c, b;
  Eigen::Index equalities = 0;
};
struct DenseSolution {
  Outcome outcome;
  Vector x, u;
};
DenseSolution solve_dense(const DenseProgram& p) {
  const auto n = size_t(p.c.size()), m = size_t(p.b.size());
  std::vector<double> work(sdk::QuadraticProgram::work_doubles(n, m));
  DenseSolution out{Outcome::solved, Vector(p.c.size()), Vector(p.b.size())};
  sdk::QuadraticProgram program(n, m, work.data());
  out.outcome = program.solve({.n = n,
                               .m = m,
                               .equalities = size_t(p.equalities),
                               .H = p.H.data(),
                               .c = p.c.data(),
                               .A = p.A.data(),
                               .b = p.b.data()},
                              out.x.data(), out.u.data());
  return out;
}

MatrixXd uniform_matrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
  MatrixXd out(rows, columns);
  for (double& each : out.reshaped()) each = random.uniform(-1, 1);
  return out;
}

// Returns the solution found by trying every set of active inequalities, or nullopt if the
// constraints contradict each other. The optimum has an active set with independent rows, and its
// equations have one solution.
std::optional<Vector> enumerate_active_sets(const DenseProgram& p) {
  const Eigen::Index n = p.c.size(), m = p.b.size(), inequalities = m - p.equalities;
  for (unsigned set = 0; set < (1u << inequalities); ++set) {
    std::vector<Eigen::Index> active;
    for (Eigen::Index i = 0; i < m; ++i)
      if (i < p.equalities || (set >> (i - p.equalities) & 1)) active.push_back(i);
    const auto q = Eigen::Index(active.size());
    if (q - p.equalities > n) continue;
    MatrixXd K = MatrixXd::Zero(n + q, n + q);
    Vector right(n + q);
    K.topLeftCorner(n, n) = p.H;
    right.head(n) = -p.c;
    for (Eigen::Index k = 0; k < q; ++k) {
      K.row(n + k).head(n) = p.A.row(active[size_t(k)]);
      K.col(n + k).head(n) = -p.A.row(active[size_t(k)]).transpose();
      right[n + k] = p.b[active[size_t(k)]];
    }
    const Vector z = K.completeOrthogonalDecomposition().solve(right);
    if ((K * z - right).norm() > 1e-9 * (1 + right.norm())) continue;
    if ((p.A * z.head(n) - p.b).tail(inequalities).minCoeff() < -1e-9) continue;
    if (z.tail(q - p.equalities).size() > 0 && z.tail(q - p.equalities).minCoeff() < -1e-9)
      continue;
    return z.head(n);
  }
  return std::nullopt;
}

// Expects H x + c = A^T u, feasible x, u >= 0 and no multiplier of a constraint with slack.
void expect_optimal(const DenseProgram& p, const DenseSolution& s, double tolerance) {
  const Eigen::Index inequalities = p.b.size() - p.equalities;
  const double scale = 1 + p.c.norm() + (p.A.transpose() * s.u).norm();
  EXPECT_LT((p.H * s.x + p.c - p.A.transpose() * s.u).norm(), tolerance * scale);
  const Vector slack = p.A * s.x - p.b;
  EXPECT_LT(slack.head(p.equalities).norm(), tolerance * (1 + s.x.norm()));
  for (Eigen::Index i = p.b.size() - inequalities; i < p.b.size(); ++i) {
    EXPECT_GT(slack[i], -tolerance * (1 + s.x.norm()));
    EXPECT_GE(s.u[i], 0);
    EXPECT_LT(std::abs(s.u[i] * slack[i]), tolerance * (1 + s.x.norm()) * (1 + s.u.norm()));
  }
}

// Random programs. Half of them are degenerate: all inequalities pass through one point, and rows
// repeat with other signs and sizes, so that active sets have dependent rows.
TEST(QuadraticProgram, EqualsTheEnumerationOfActiveSets) {
  int solved = 0, infeasible = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto n = Eigen::Index(1 + seed % 5), inequalities = Eigen::Index(1 + seed % 7);
    DenseProgram p;
    p.equalities = Eigen::Index(seed % 3) % (n + 1);
    const MatrixXd B = uniform_matrix(random, n, n);
    p.H = B * B.transpose() + 0.01 * MatrixXd::Identity(n, n);
    p.c = 3 * uniform_matrix(random, n, 1);
    p.A = uniform_matrix(random, p.equalities + inequalities, n);
    p.b = uniform_matrix(random, p.equalities + inequalities, 1);
    if (seed % 2 == 0) {
      for (Eigen::Index i = 1; i < p.A.rows(); i += 2)
        p.A.row(i) = random.uniform(-2, 2) * p.A.row(i - 1);
      p.b = p.A * uniform_matrix(random, n, 1);
    }
    const auto expected = enumerate_active_sets(p);
    const DenseSolution found = solve_dense(p);
    ++(expected ? solved : infeasible);
    ASSERT_EQ(found.outcome, expected ? Outcome::solved : Outcome::infeasible);
    if (!expected) continue;
    EXPECT_LT((found.x - *expected).norm(), 1e-8 * (1 + expected->norm()));
    expect_optimal(p, found, 1e-10);
  }
  EXPECT_GT(solved, 200);
  EXPECT_GT(infeasible, 20);
}

// Programs of the size of a robot's, with a condition of H of 1e8.
TEST(QuadraticProgram, SatisfiesTheConditionsOfKarushKuhnAndTucker) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Eigen::Index n = 42, m = 80;
    DenseProgram p;
    p.equalities = 6;
    const MatrixXd B = uniform_matrix(random, n, n / 2);
    p.H = 1e2 * B * B.transpose() + 1e-5 * MatrixXd::Identity(n, n);
    p.c = uniform_matrix(random, n, 1);
    p.A = uniform_matrix(random, m, n);
    p.b = p.A * uniform_matrix(random, n, 1);
    p.b.tail(m - 6) -= uniform_matrix(random, m - 6, 1).cwiseAbs();
    const DenseSolution found = solve_dense(p);
    ASSERT_EQ(found.outcome, Outcome::solved);
    expect_optimal(p, found, 1e-8);
  }
}

TEST(QuadraticProgram, OfBoundsEqualsBoundedLeastSquares) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const Eigen::Index n = 12, m = 8;
    const MatrixXd J = uniform_matrix(random, m, n);
    const Vector e = 5 * uniform_matrix(random, m, 1);
    const Vector lower = -uniform_matrix(random, n, 1).cwiseAbs(),
                 upper = uniform_matrix(random, n, 1).cwiseAbs();
    const double lambda = 0.1;
    DenseProgram p;
    p.H = J.transpose() * J + lambda * lambda * MatrixXd::Identity(n, n);
    p.c = -J.transpose() * e;
    p.A = MatrixXd(2 * n, n);
    p.A << MatrixXd::Identity(n, n), -MatrixXd::Identity(n, n);
    p.b = Vector(2 * n);
    p.b << lower, -upper;
    const DenseSolution found = solve_dense(p);
    ASSERT_EQ(found.outcome, Outcome::solved);
    const Vector expected = bounded_least_squares(J, e, lambda, lower, upper);
    EXPECT_LT((found.x - expected).norm(), 1e-10 * (1 + expected.norm())) << seed;
  }
}

TEST(QuadraticProgram, RejectsInvalidPrograms) {
  DenseProgram p;
  p.H = RowMatrix::Identity(2, 2);
  p.c = Vector::Zero(2);
  p.A = RowMatrix(2, 2);
  p.A << 1, 0, -1, 0;
  p.b = Vector(2);
  p.b << 1, 0;  // x >= 1 and x <= 0
  EXPECT_EQ(solve_dense(p).outcome, Outcome::infeasible);
  p.equalities = 2;  // x = 1 and -x = 0
  EXPECT_EQ(solve_dense(p).outcome, Outcome::infeasible);
  p.b << 1, -1;  // x = 1, twice
  const DenseSolution twice = solve_dense(p);
  EXPECT_EQ(twice.outcome, Outcome::solved);
  EXPECT_EQ(twice.x, Vector(Eigen::Vector2d(1, 0)));
  p.A.setZero();  // 0 = 1
  EXPECT_EQ(solve_dense(p).outcome, Outcome::infeasible);
  p.equalities = 0;  // 0 >= 1
  EXPECT_EQ(solve_dense(p).outcome, Outcome::infeasible);
  p.b.setConstant(-1);
  EXPECT_EQ(solve_dense(p).outcome, Outcome::solved);
  p.H(1, 1) = 0;
  EXPECT_EQ(solve_dense(p).outcome, Outcome::not_convex);
  p.H(1, 1) = -1;
  EXPECT_EQ(solve_dense(p).outcome, Outcome::not_convex);
}

TEST(QuadraticProgram, DoesNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
  const double H[] = {2, 0, 0, 2}, c[] = {-2, -5}, A[] = {1, -2, -1, -2, -1, 2}, b[] = {-2, -6, -2};
  double x[2], u[3];
  std::vector<double> work(sdk::QuadraticProgram::work_doubles(2, 3));
  const long before = allocations();
  sdk::QuadraticProgram program(2, 3, work.data());
  const Outcome outcome =
      program.solve({.n = 2, .m = 3, .equalities = 0, .H = H, .c = c, .A = A, .b = b}, x, u);
  EXPECT_EQ(allocations() - before, 0);
  // Nocedal and Wright, example 16.4.
  EXPECT_EQ(outcome, Outcome::solved);
  EXPECT_NEAR(x[0], 1.4, 1e-14);
  EXPECT_NEAR(x[1], 1.7, 1e-14);
  EXPECT_NEAR(u[0], 0.8, 1e-14);
}

// The contact program of random equations with one or two points, against the same program with the
// torques as unknowns of their own. Its unknowns are z = (vdot, tau, f), with M vdot + h = tau +
// J^T f as equations. One dof has no motor, one has a limit, and one has none.
TEST(ContactProgram, EqualsTheProgramWithTorquesAsUnknowns) {
  int at_limit = 0, at_cone = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Eigen::Index n = 3, points = seed % 10 == 0 ? 2 : 1, sides = 3, N = n + n + 3 * points;
    const MatrixXd B = uniform_matrix(random, n, n), J = uniform_matrix(random, 3 * points, n),
                   tasks = uniform_matrix(random, 4, n);
    const MatrixXd M = B * B.transpose() + 0.1 * MatrixXd::Identity(n, n);
    const Vector h = 5 * uniform_matrix(random, n, 1), wanted = 10 * uniform_matrix(random, 4, 1),
                 weight = uniform_matrix(random, 4, 1).cwiseAbs();
    const double mu[] = {0.5, 0.8}, limit = 1, force_weight = 1e-3;

    std::vector<double> work(sdk::ContactProgram::work_doubles(3, size_t(points), 3));
    sdk::ContactProgram program(3, size_t(points), 3, work.data());
    Eigen::Map<RowMatrix>(program.mass_matrix(), n, n) = M;
    Eigen::Map<Vector>(program.bias(), n) = h;
    for (Eigen::Index i = 0; i < 4; ++i) {
      const Vector a = tasks.row(i);
      program.add_task(a.data(), wanted[i], weight[i]);
    }
    program.add_dof_task(1, 2, 0.3);
    for (Eigen::Index p = 0; p < points; ++p)
      Eigen::Map<RowMatrix>(program.add_point(mu[p]), 3, n) = J.middleRows(3 * p, 3);
    const double max_torque[] = {0, limit, 1e300};
    ASSERT_EQ(program.solve(max_torque, force_weight), Outcome::solved);

    DenseProgram p;
    p.H = RowMatrix::Zero(N, N);
    p.c = Vector::Zero(N);
    p.H.topLeftCorner(n, n) =
        tasks.transpose() * weight.asDiagonal() * tasks + 1e-8 * MatrixXd::Identity(n, n);
    p.H(1, 1) += 0.3;
    p.H.diagonal().tail(3 * points).setConstant(force_weight);
    p.c.head(n) = -tasks.transpose() * weight.asDiagonal() * wanted;
    p.c[1] -= 0.6;
    p.equalities = n + 1;
    p.A = RowMatrix::Zero(n + 1 + 2 + points * (sides + 1), N);
    p.b = Vector::Zero(p.A.rows());
    p.A.topRows(n) << M, -MatrixXd::Identity(n, n), -J.transpose();
    p.b.head(n) = -h;
    p.A(n, n) = 1;                                // tau_0 = 0
    p.A(n + 1, n + 1) = 1, p.b[n + 1] = -limit;   // tau_1 >= -limit
    p.A(n + 2, n + 1) = -1, p.b[n + 2] = -limit;  // tau_1 <= limit
    Eigen::Index row = n + 3;
    for (Eigen::Index point = 0; point < points; ++point)
      for (Eigen::Index side = -1; side < sides; ++side, ++row) {
        const Eigen::Index f = 2 * n + 3 * point;
        p.A(row, f + 2) = side < 0 ? 1 : mu[point] * std::cos(M_PI / double(sides));
        if (side < 0) continue;
        p.A(row, f) = -std::cos(2 * M_PI * double(side) / double(sides));
        p.A(row, f + 1) = -std::sin(2 * M_PI * double(side) / double(sides));
      }
    const auto expected = enumerate_active_sets(p);
    ASSERT_TRUE(expected);
    const double scale = 1 + expected->norm();
    for (Eigen::Index k = 0; k < n; ++k) {
      EXPECT_NEAR(program.vdot()[size_t(k)], (*expected)[k], 1e-8 * scale);
      EXPECT_NEAR(program.torque(size_t(k)), (*expected)[n + k], 1e-8 * scale);
      EXPECT_NEAR(program.contact_torque(size_t(k)), J.col(k).dot(expected->tail(3 * points)),
                  1e-8 * scale);
    }
    for (size_t point = 0; point < size_t(points); ++point) {
      const auto f = program.force(point);
      for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(f[i], (*expected)[Eigen::Index(2 * 3 + 3 * point + i)], 1e-8 * scale);
      const double friction = std::hypot(f[0], f[1]);
      EXPECT_LE(friction, mu[point] * f[2] + 1e-10);
      at_cone += f[2] > 0.1 && friction > 0.49 * mu[point] * f[2];
    }
    EXPECT_LT(std::abs(program.torque(0)), 1e-11);
    EXPECT_LE(std::abs(program.torque(1)), limit + 1e-11);
    at_limit += std::abs(program.torque(1)) > limit - 1e-9;
  }
  EXPECT_GT(at_limit, 3);
  EXPECT_GT(at_cone, 3);
}

}  // namespace
}  // namespace torsor::test
