// Tests of the comparison of constraint solvers, with solvers inside the test program whose results
// are known.

#include "torsor/analysis/constraint_comparison.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "torsor/base/error.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns the same multipliers for every problem of two rows.
class GivenMultipliers : public Plugin {
 public:
  GivenMultipliers(double first, double second) : lambda_{first, second} {
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.id = "constraint_solver.given";
    descriptor_.version = "1.0";
    descriptor_.summary = descriptor_.family = "";
    plugin_ = {sizeof plugin_, this, nullptr, nullptr, prepare, get_interface, nullptr};
  }
  torsor_plugin* get() const override { return &plugin_; }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override { return ""; }

 private:
  static torsor_status prepare(torsor_plugin*, const torsor_model*, torsor_sizes*) {
    return TORSOR_OK;
  }
  static torsor_status solve(const torsor_plugin* p, const torsor_constraint_problem*, double*,
                             torsor_constraint_result* out) {
    const auto& self = *static_cast<const GivenMultipliers*>(p->self);
    out->lambda[0] = self.lambda_[0];
    out->lambda[1] = self.lambda_[1];
    out->iterations = 3;
    return TORSOR_OK;
  }
  static const void* get_interface(const torsor_plugin*, const char*) {
    static constexpr torsor_constraint_solver api{sizeof api, nullptr, solve};
    return &api;
  }

  double lambda_[2];
  torsor_descriptor descriptor_{};
  mutable torsor_plugin plugin_;
};

std::unique_ptr<ConstraintSolver> solver(double first, double second) {
  static const auto model = build(random_robot(2, TreeShape::chain, 5));
  return std::make_unique<ConstraintSolver>(
      ConfiguredPlugin{std::make_unique<GivenMultipliers>(first, second), {}}, model);
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
  EXPECT_EQ(exact.residual, 0);
  EXPECT_EQ(exact.at_bounds, 4) << "lambda_1 is at its upper and lambda_2 at its lower bound";
  EXPECT_EQ(exact.iterations, 6);
  EXPECT_EQ(exact.most_iterations, 3);
  // w_1 = -2, so that lambda_1 is 0.5 too small; the size is (6 + 8) / 2 = 7.
  EXPECT_DOUBLE_EQ(wrong.residual, 2 * 0.5 / 7);
  EXPECT_EQ(wrong.at_bounds, 2);
  ASSERT_EQ(comparison.pairs().size(), 1u);
  const ConstraintComparison::Pair& pair = comparison.pairs()[0];
  EXPECT_DOUBLE_EQ(pair.lambda, 2 * 0.5 / 8);
  EXPECT_DOUBLE_EQ(pair.w, 2.0 / 2 / 8);
  EXPECT_TRUE(pair.broken());
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
