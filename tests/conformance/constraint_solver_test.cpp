// Tests of the constraint solver plugins of this build.

#include <gmock/gmock.h>

#include "conformance/constraint_solvers.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::test {
namespace {

// Returns a well-conditioned problem, some of whose rows repeat others.
RandomProblem drawn_problem(uint64_t seed) {
  Random random(seed);
  const int n = 1 + random.below(15);
  RandomProblem p =
      random_problem(random, {.n = n, .rank = 2 * n, .spread = seed % 2 == 0 ? 1 : 1e6});
  if (n < 3) return p;
  for (const auto& [to, from] : {std::pair{n - 1, 0}, {n - 2, 1}}) {
    p.G.row(to) = p.G.row(from).eval();
    p.G.col(to) = p.G.col(from).eval();
    p.c[to] = p.c[from], p.c_terms[to] = p.c_terms[from];
  }
  // A box of a redundant row would be in other units than its row.
  for (const int to : {n - 1, n - 2}) p.lower[to] = -HUGE_VAL, p.upper[to] = HUGE_VAL;
  return p;
}

TEST(ConstraintSolvers, AreSeveral) {
  EXPECT_THAT(constraint_solvers(),
              testing::IsSupersetOf({"newton_admm", "pivoting", "projected_gauss_seidel"}));
}

TEST(ConstraintSolvers, AgreeInGLambda) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProblem p = drawn_problem(seed);
    const auto direct = constraint_solver("pivoting");
    const Eigen::VectorXd root = p.G.diagonal().cwiseSqrt(), lambda = solve_with(*direct, p),
                          w = p.rates(lambda).cwiseQuotient(root);
    const double size = (root.cwiseProduct(lambda)).lpNorm<Eigen::Infinity>() +
                        p.c_terms.cwiseQuotient(root).lpNorm<Eigen::Infinity>();
    EXPECT_LT(direct->residual(), 1e-13);
    for (const std::string& id : constraint_solvers()) {
      const auto other = constraint_solver(id);
      const Eigen::VectorXd found = solve_with(*other, p);
      EXPECT_LT((p.rates(found).cwiseQuotient(root) - w).lpNorm<Eigen::Infinity>(), 1e-7 * size)
          << id;
      EXPECT_NEAR(other->residual(), violation(p, found), 1e-9) << id;
    }
  }
}

TEST(ConstraintSolvers, DoNotAllocate) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call, which allocates";
#endif
  for (const std::string& id : constraint_solvers()) {
    const auto solver = constraint_solver(id);
    solver->reserve(20);
    std::vector<RandomProblem> problems;
    for (uint64_t seed = 1; seed <= 10; ++seed) problems.push_back(drawn_problem(seed));
    Eigen::VectorXd lambda(20);
    bool all = true;
    const long before = allocations();
    for (const RandomProblem& p : problems)
      all &= bool(solver->solve(problem_of(p), {lambda.data(), size_t(p.c.size())}));
    EXPECT_EQ(allocations(), before) << id;
    EXPECT_TRUE(all);
  }
}

TEST(ConstraintSolvers, ContradictionsAreReported) {
  RandomProblem p;
  p.G = RowMatrix{{1, 1}, {1, 1}};
  p.c = Eigen::Vector2d(1, 3);
  p.c_terms = p.c;
  p.lower = Eigen::Vector2d(-HUGE_VAL, -HUGE_VAL);
  p.upper = -p.lower;
  Eigen::Vector2d lambda;
  for (const std::string& id : constraint_solvers()) {
    const auto solver = constraint_solver(id);
    const Status status = solver->solve(problem_of(p), {lambda.data(), 2});
    EXPECT_EQ(status.value, Status::not_converged) << id;
    EXPECT_THAT(solver->explain(status), testing::HasSubstr("contradict one another")) << id;
    EXPECT_GT(solver->residual(), 0.1) << id;
  }
}

TEST(GaussSeidel, ItsToleranceAndIterationsAreLimits) {
  Random random(1);
  const RandomProblem p = random_problem(random, {.n = 10, .rank = 20, .has_bounds = false});
  const auto coarse = constraint_solver("projected_gauss_seidel", {{"tolerance", 1e-7}}),
             fine = constraint_solver("projected_gauss_seidel", {{"tolerance", 1e-12}}),
             ended = constraint_solver("projected_gauss_seidel", {{"iterations", 2.0}});
  solve_with(*coarse, p);
  solve_with(*fine, p);
  EXPECT_LE(coarse->residual(), 1e-7);
  EXPECT_LE(fine->residual(), 1e-12);
  EXPECT_LT(coarse->iterations(), fine->iterations());
  Eigen::VectorXd lambda(p.c.size());
  EXPECT_FALSE(ended->solve(problem_of(p), {lambda.data(), size_t(lambda.size())}));
  EXPECT_EQ(ended->iterations(), 2);
  EXPECT_LT(violation(p, lambda), HUGE_VAL);
}

// The host rejects residuals above 1e-6, so that a larger tolerance would end runs.
TEST(GaussSeidel, ItsTolerancesAreThoseThatTheHostAccepts) {
  Random random(1);
  const RandomProblem p = random_problem(random, {.n = 10, .rank = 20, .has_bounds = false});
  const auto coarsest = constraint_solver("projected_gauss_seidel",
                                          {{"tolerance", ConstraintSolver::largest_residual}});
  Eigen::VectorXd lambda(p.c.size());
  EXPECT_TRUE(coarsest->solve(problem_of(p), {lambda.data(), size_t(lambda.size())}));
  EXPECT_THAT(
      [] {
        (void)constraint_solver("projected_gauss_seidel", {{"tolerance", 1.1e-6}});
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("tolerance")));
}

}  // namespace
}  // namespace torsor::test
