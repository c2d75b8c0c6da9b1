#include "torsor/constraints/multiplier_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/contact_problems.hpp"
#include "support/random_robot.hpp"
#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor::test {
namespace {

// Returns G = J J^T for a random J with n rows, of rank 1 to 3. Some rows of J are repeated or
// negated, like the rows of friction and a stop of one joint.
Eigen::MatrixXd redundant_rows(Random& random, int n) {
  const int rank = 1 + random.below(3);
  Eigen::MatrixXd J(n, rank);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < rank; ++k) J(i, k) = random.uniform(-1, 1);
  for (int i = 1; i < n; ++i)
    if (random.below(2) == 0) J.row(i) = (random.below(2) == 0 ? 1 : -1) * J.row(random.below(i));
  return J * J.transpose();
}

// Adds n rows whose rates without multipliers are c.
void add_rows(const Eigen::VectorXd& c, std::span<const Bounds> bounds, MultiplierSolver& solver) {
  solver.clear();
  for (Eigen::Index i = 0; i < c.size(); ++i)
    solver.add({{int(i), 1}}, c.data(), 0, bounds[size_t(i)]);
}

TEST(MultiplierSolver, RedundantRowsAreSolved) {
  MultiplierSolver solver;
  int at_bounds = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const int n = 2 + random.below(5);
    const Eigen::MatrixXd G = std::pow(10, random.uniform(-3, 3)) * redundant_rows(random, n);
    // c must be in the range of G, like J vdot. Otherwise a row without bounds could not be
    // satisfied.
    const Eigen::VectorXd c =
        G * Eigen::Map<const Eigen::VectorXd>(random_values(random, n, 100).data(), n);
    std::vector<Bounds> bounds;
    for (int i = 0; i < n; ++i) {
      const double most = random.below(2) == 0 ? random.uniform(0, 10) : HUGE_VAL;
      bounds.push_back({std::isinf(most) && random.below(2) == 0 ? 0 : -most, most});
    }
    add_rows(c, bounds, solver);
    ASSERT_TRUE(solver.solve(G));
    const Eigen::Map<const Eigen::VectorXd> lambda(solver.lambda().data(), n);
    const Eigen::VectorXd w = G * lambda + c;
    const double rounding = 1e-9 * (G.norm() * lambda.norm() + c.norm());
    const std::span<const AtBound> at = solver.bounds();
    for (int i = 0; i < n; ++i) {
      const auto [lower, upper] = bounds[size_t(i)];
      EXPECT_GE(lambda[i], lower);
      EXPECT_LE(lambda[i], upper);
      EXPECT_TRUE(w[i] <= rounding || lambda[i] == lower) << w[i];
      EXPECT_TRUE(w[i] >= -rounding || lambda[i] == upper) << w[i];
      if (at[size_t(i)] == AtBound::none) {
        EXPECT_LT(std::abs(w[i]), rounding);
      } else {
        EXPECT_LT(double(at[size_t(i)]) * w[i], rounding) << "w >= 0 at lower (-1)";
        EXPECT_EQ(lambda[i], at[size_t(i)] == AtBound::lower ? lower : upper);
        ++at_bounds;
      }
    }
  }
  EXPECT_GT(at_bounds, 100);
}

// A matrix G with all entries stored.
struct FullRows {
  std::vector<int32_t> row_start = {0}, column;
  std::vector<double> value;

  explicit FullRows(const Eigen::MatrixXd& G) {
    for (int i = 0; i < G.rows(); ++i) {
      for (int j = 0; j < G.cols(); ++j) column.push_back(j), value.push_back(G(i, j));
      row_start.push_back(int32_t(column.size()));
    }
  }
  SparseRows rows() const { return {row_start, column, value}; }
};

// Solves the contacts of a problem, with all entries of G stored.
Status solve_contacts(const RandomProblem& p, MultiplierSolver& solver, Eigen::VectorXd& lambda) {
  const FullRows G(p.G);
  const auto span = [](const Eigen::VectorXd& v) { return std::span(v.data(), size_t(v.size())); };
  lambda.resize(p.c.size());
  return solver.solve_contacts({.G = nullptr,
                                .c = span(p.c),
                                .c_terms = span(p.c_terms),
                                .lower = span(p.lower),
                                .upper = span(p.upper),
                                .frictions = p.frictions,
                                .sparse = G.rows()},
                               {lambda.data(), size_t(lambda.size())});
}

// A body of mass 2 on a plane: gravity presses, and a force pulls along the plane. The force is
// below and above the friction. Without a plugin, contacts are solved too.
TEST(MultiplierSolver, ContactsStickAndSlide) {
  const FullRows G(0.5 * Eigen::MatrixXd::Identity(3, 3));
  const torsor_friction friction{0, 1, 2, 0.3};
  const double lower[] = {0, 0, 0}, upper[] = {std::numeric_limits<double>::infinity(), 0, 0},
               start[] = {1, 0, 0};
  MultiplierSolver solver;
  for (const double pull : {0.29, 0.31}) {
    const double c[] = {-1, 0.8 * pull, 0.6 * pull}, terms[] = {1, 0.8 * pull, 0.6 * pull};
    double lambda[3];
    ASSERT_TRUE(solver.solve_contacts({.G = nullptr,
                                       .c = c,
                                       .c_terms = terms,
                                       .lower = lower,
                                       .upper = upper,
                                       .frictions = {&friction, 1},
                                       .sparse = G.rows(),
                                       .start = start},
                                      lambda));
    const double size = std::min(pull, 0.3);
    EXPECT_NEAR(lambda[0], 2, 1e-13);
    EXPECT_NEAR(lambda[1], -2 * 0.8 * size, 1e-13);
    EXPECT_NEAR(lambda[2], -2 * 0.6 * size, 1e-13);
  }
}

// Two contacts of bodies that do not touch each other, whose rows alternate with those of stops:
// each island has the result that it has alone.
TEST(MultiplierSolver, IslandsAreSolvedOnTheirOwn) {
  Random random(3);
  const RandomProblem a = random_pile(random, {.bodies = 2, .contacts = 3}),
                      b = random_pile(random, {.bodies = 2, .contacts = 2});
  const Eigen::Index m = a.c.size(), n = b.c.size();
  Eigen::VectorXd apart(m + n), c(m + n), terms(m + n), lower(m + n), upper(m + n);
  c << a.c, b.c;
  terms << a.c_terms, b.c_terms;
  lower << a.lower, b.lower;
  upper << a.upper, b.upper;
  std::vector<int32_t> row_start = {0}, column;
  std::vector<double> value;
  for (int i = 0; i < m + n; ++i) {
    for (int j = i < m ? 0 : int(m); j < (i < m ? m : m + n); ++j) {
      column.push_back(j);
      value.push_back(i < m ? a.G(i, j) : b.G(i - m, j - m));
    }
    row_start.push_back(int32_t(column.size()));
  }
  std::vector<torsor_friction> frictions = a.frictions;
  for (torsor_friction each : b.frictions) {
    each.normal += int32_t(m), each.first += int32_t(m);
    frictions.push_back(each);
  }
  const auto span = [](Eigen::VectorXd& v) { return std::span(v.data(), size_t(v.size())); };
  MultiplierSolver solver;
  ASSERT_TRUE(solver.solve_contacts({.G = nullptr,
                                     .c = span(c),
                                     .c_terms = span(terms),
                                     .lower = span(lower),
                                     .upper = span(upper),
                                     .frictions = frictions,
                                     .sparse = {row_start, column, value}},
                                    span(apart)));
  EXPECT_LT(contact_violation(a, apart.head(m)), 1e-9);
  EXPECT_LT(contact_violation(b, apart.tail(n)), 1e-9);
}

// Four points of a face, two of which are redundant, with a mass ratio of 1e4: Gauss-Seidel does
// not converge within its sweeps.
TEST(MultiplierSolver, ASecondMethodSolvesHardContacts) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const RandomProblem p =
        random_pile(random, {.bodies = 3, .contacts = 3, .mass_ratio = 1e4, .has_faces = true});
    MultiplierSolver solver;
    Eigen::VectorXd lambda;
    ASSERT_TRUE(solve_contacts(p, solver, lambda));
    EXPECT_LT(contact_violation(p, lambda), 1e-6);
  }
}

// More than 150 rows in one island. The residual, which may be larger than that of small islands,
// is the one of an independent evaluation.
TEST(MultiplierSolver, LargePilesStateTheirResidual) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const RandomProblem p =
        random_pile(random, {.bodies = 20, .contacts = 30, .mass_ratio = 10, .has_faces = true});
    ASSERT_GT(p.c.size(), 150);
    MultiplierSolver solver;
    Eigen::VectorXd lambda;
    ASSERT_TRUE(solve_contacts(p, solver, lambda));
    EXPECT_LT(contact_violation(p, lambda), 2e-4);
    EXPECT_NEAR(solver.contact_residual(), sdk::residual_of(p.view(), lambda.data()), 1e-12);
  }
}

// A friction at its bound does not move if a redundant free row holds it.
TEST(MultiplierSolver, ARowThatOthersHoldIsAtNoBound) {
  const Eigen::MatrixXd G = Eigen::MatrixXd::Constant(2, 2, 2);
  const Bounds bounds[] = {{-1, 1}, {}};
  MultiplierSolver solver;
  add_rows(Eigen::Vector2d(-8, -8), bounds, solver);
  ASSERT_TRUE(solver.solve(G));
  EXPECT_EQ(solver.lambda()[0], 1);
  EXPECT_NEAR(solver.lambda()[1], 3, 1e-14);
  EXPECT_EQ(solver.bounds()[0], AtBound::none);
  EXPECT_EQ(solver.bounds()[1], AtBound::none);
}

// Two rows that are nearly the same and require rates that differ: no forces meet both. They share
// the force that meets their mean; the forces stay bounded.
TEST(MultiplierSolver, RowsThatContradictEachOtherSlightlyShareTheirForce) {
  for (const double apart : {0.0, 1e-16, 1e-12, 1e-9}) {
    Eigen::MatrixXd J(3, 2);
    J << 1, 0, 1, apart, 0, 2;
    const Eigen::MatrixXd G = J * J.transpose();
    MultiplierSolver solver;
    add_rows(Eigen::Vector3d(1, 1 + 1e-7, -2), std::vector<Bounds>(3), solver);
    ASSERT_TRUE(solver.solve(G));
    EXPECT_NEAR(solver.lambda()[0], -0.5, 1e-6) << apart;
    EXPECT_NEAR(solver.lambda()[1], -0.5, 1e-6) << apart;
    EXPECT_NEAR(solver.lambda()[2], 0.5, 1e-6) << apart;
  }
}

}  // namespace
}  // namespace torsor::test
