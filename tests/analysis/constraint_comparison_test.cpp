// Tests of the comparison of constraint solvers, with solvers inside the test program whose results
// are known.

#include "torsor/analysis/constraint_comparison.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "support/table_constraint_solver.hpp"
#include "torsor/base/error.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns a solver with the same multipliers for every problem of two rows.
std::unique_ptr<ConstraintSolver> solver(double first, double second) {
  static const auto model = build(random_robot(2, TreeShape::chain, 5));
  const auto given = [first, second](const torsor_constraint_problem&,
                                     torsor_constraint_result& out) {
    out.lambda[0] = first;
    out.lambda[1] = second;
    out.iterations = 3;
    return torsor_status(TORSOR_OK);
  };
  return std::make_unique<ConstraintSolver>(
      ConfiguredPlugin{std::make_unique<TableConstraintSolver>(given), {}}, model);
}

// G = diag(4, 1), c = (-8, 3): the free row needs lambda = 2, the row >= 0 has lambda = 0, w = 3.
// The size of this solution is max(|8| + 8, |0| 3 + 3) / sqrt(G_ii) = 8.
class TwoRows : public testing::Test {
 protected:
  const double G_[4] = {4, 0, 0, 1};
  const std::vector<double> c_{-8, 3}, terms_{8, 3}, lower_{-infinite, 0}, upper_{2, infinite};
  const ConstraintProblem problem_{G_, c_, terms_, lower_, upper_};
};

TEST_F(TwoRows, ResidualsAndDifferencesAreThoseOfTheMultipliers) {
  ConstraintComparison comparison;
  comparison.add(solver(2, 0));
  comparison.add(solver(1.5, 0));
  comparison.compare(problem_);
  comparison.compare(problem_);
  ASSERT_EQ(comparison.results().size(), 2u);
  const ConstraintComparison::Result &exact = comparison.results()[0],
                                     &wrong = comparison.results()[1];
  EXPECT_EQ(comparison.problems(), 2);
  EXPECT_EQ(exact.laws.residual, 0);
  EXPECT_EQ(exact.at_bounds, 4) << "lambda_1 is at its upper and lambda_2 at its lower bound";
  EXPECT_EQ(exact.iterations, 6);
  EXPECT_EQ(exact.most_iterations, 3);
  // w_1 = -2, so that lambda_1 is 0.5 too small; the size is (6 + 8) / 2 = 7.
  EXPECT_DOUBLE_EQ(wrong.laws.residual, 2 * 0.5 / 7);
  EXPECT_EQ(wrong.at_bounds, 2);
  ASSERT_EQ(comparison.pairs().size(), 1u);
  const ConstraintComparison::Pair& pair = comparison.pairs()[0];
  EXPECT_DOUBLE_EQ(pair.lambda, 2 * 0.5 / 8);
  EXPECT_DOUBLE_EQ(pair.w, 2.0 / 2 / 8);
  EXPECT_TRUE(pair.differ());
  EXPECT_EQ(pair.problem, 1) << "the first of equal differences";
  comparison.measure(problem_, 1e4);
  EXPECT_GT(exact.ns, 0);
  EXPECT_LT(exact.ns, 1e7);
}

TEST_F(TwoRows, ASolverOutsideOfTheBoundsHasFailed) {
  ConstraintComparison comparison;
  comparison.add(solver(2, 0));
  comparison.compare(problem_);
  EXPECT_TRUE(comparison.pairs().empty());
  ConstraintComparison other;
  other.add(solver(2, -1));
  other.compare(problem_);
  EXPECT_THAT(other.results()[0].failure, HasSubstr("row 2 that is outside of its bounds"));
  EXPECT_EQ(other.results()[0].failed_problem, 1);
}

}  // namespace
}  // namespace torsor::test
