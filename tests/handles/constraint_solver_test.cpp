// Tests of what the host checks in the results of a constraint solver.

#include "torsor/handles/constraint_solver.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "support/table_constraint_solver.hpp"
#include "torsor/base/error.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// Solves two rows, lambda_1 in [-1, 1] and a free lambda_2. Returns the explanation of an error.
std::string error_of_law(TableConstraintSolver::Law law) {
  ConstraintSolver solver({std::make_unique<TableConstraintSolver>(std::move(law))},
                          build(random_robot(2, TreeShape::chain, 1)));
  const double G[] = {1, 0, 0, 1}, c[] = {0, 0}, lower[] = {-1, -HUGE_VAL}, upper[] = {1, HUGE_VAL};
  double lambda[2] = {7, 7};
  const Status status = solver.solve({G, c, c, lower, upper}, lambda);
  return status ? "" : solver.explain(status);
}

TEST(ConstraintSolver, ItsResultsAreChecked) {
  using Problem = const torsor_constraint_problem&;
  using Result = torsor_constraint_result&;
  const struct {
    TableConstraintSolver::Law law;
    const char* error;
  } cases[] = {{[](Problem, Result out) {
                  out.lambda[1] = 1e9;
                  return torsor_status(TORSOR_OK);
                },
                ""},
               {[](Problem, Result out) {
                  out.lambda[1] = NAN;
                  return torsor_status(TORSOR_OK);
                },
                "solve returns a multiplier of row 2 that is not a finite number"},
               {[](Problem, Result out) {
                  out.residual = NAN;
                  return torsor_status(TORSOR_OK);
                },
                "solve returns a residual that is not a finite number"},
               {[](Problem, Result out) {
                  out.lambda[0] = std::nextafter(1.0, 2.0);
                  return torsor_status(TORSOR_OK);
                },
                "a multiplier of row 1 that is outside of its bounds"},
               {[](Problem, Result out) {
                  out.residual = 1e-3;
                  out.iterations = 5;
                  return torsor_status(TORSOR_OK);
                },
                "after 5 iterations, the residual is 1.0e-03"},
               {[](Problem problem, Result out) {
                  out.lambda[problem.n] = 1;
                  return torsor_status(TORSOR_OK);
                },
                "solve wrote beyond the end of 'lambda'"},
               {[](Problem, Result) { return torsor_status(TORSOR_BAD_ARGUMENT); },
                "constraint solver 'constraint_solver.table' failed in solve: bad argument"}};
  for (const auto& each : cases) {
    const std::string found = error_of_law(each.law);
    EXPECT_THAT(found, HasSubstr(each.error));
    EXPECT_EQ(found.empty(), *each.error == '\0');
  }
}

// A contact with mu = 0.5 and a row after it.
TEST(ConstraintSolver, ItsConesAreChecked) {
  const double G[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, c[4] = {},
               lower[] = {0, 7, 7, -1}, upper[] = {HUGE_VAL, 8, 8, 1};
  const torsor_friction frictions[] = {{0, 1, 2, 0.5}};
  const struct {
    TableConstraintSolver::Law law;
    const char* error;
  } cases[] = {{[](const torsor_constraint_problem&, torsor_constraint_result& out) {
                  out.lambda[0] = 2, out.lambda[1] = 0.6, out.lambda[2] = -0.8;
                  return torsor_status(TORSOR_OK);
                },
                ""},
               {[](const torsor_constraint_problem&, torsor_constraint_result& out) {
                  out.lambda[0] = 2, out.lambda[1] = 0.6, out.lambda[2] = -0.8000001;
                  return torsor_status(TORSOR_OK);
                },
                "returns multipliers of friction group 1 that are outside of its cone"},
               {[](const torsor_constraint_problem&, torsor_constraint_result& out) {
                  out.lambda[0] = -1e-9;
                  return torsor_status(TORSOR_OK);
                },
                "a multiplier of row 1 that is outside of its bounds"},
               {[](const torsor_constraint_problem&, torsor_constraint_result& out) {
                  out.lambda[3] = 1.5;
                  return torsor_status(TORSOR_OK);
                },
                "a multiplier of row 4 that is outside of its bounds"}};
  for (const auto& each : cases) {
    ConstraintSolver solver({std::make_unique<TableConstraintSolver>(each.law)},
                            build(random_robot(2, TreeShape::chain, 1)));
    double lambda[4];
    const Status status = solver.solve({G, c, c, lower, upper, frictions}, lambda);
    const std::string found = status ? "" : solver.explain(status);
    EXPECT_THAT(found, HasSubstr(each.error));
    EXPECT_EQ(found.empty(), *each.error == '\0');
  }
}

TEST(ConstraintSolver, MayRejectANumberOfRows) {
  ConstraintSolver solver({std::make_unique<TableConstraintSolver>(
                              [](const torsor_constraint_problem&, torsor_constraint_result&) {
                                return torsor_status(TORSOR_OK);
                              })},
                          build(random_robot(2, TreeShape::chain, 1)));
  solver.reserve(50);
  EXPECT_THROW(solver.reserve(51), Error);
}

}  // namespace
}  // namespace torsor::test
