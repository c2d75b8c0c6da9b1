#pragma once
// Compares constraint solvers on the same problems.
//
// Rows are scaled to G_ii = 1. Residuals and differences are relative to the denominator of the
// residual (torsor_constraint_result):
//   max_i (|w_i - c_i| + c_terms_i) / sqrt(G_ii)
// The multipliers of redundant rows are not unique. G lambda is, so two solvers agree if their
// rates w = G lambda + c agree. Redundant contacts that slide may have several w as well, because
// the distribution of their normal forces decides the direction of the motion.

#include <memory>
#include <string>
#include <vector>

#include "torsor/handles/constraint_solver.hpp"

namespace torsor {

// How well multipliers satisfy the laws of contact. Rows outside of the friction groups are
// normals.
struct ContactLawErrors {
  double residual = 0;         // as torsor_constraint_result defines it
  double size = 0;             // the denominator of the residual
  double complementarity = 0;  // max |lambda_n w_n|, J for impulses
  double approach = 0;         // max -w_n, m/s; rows with the upper bound 0 do not count
  double cone = 0;  // max |lambda_t| - mu lambda_n of all kinds of friction, N s or N m s

  // Sets each error to the larger one.
  void join(const ContactLawErrors& other);
};
// lambda: [n].
ContactLawErrors contact_law_errors(const ConstraintProblem& problem, const double* lambda);

class ConstraintComparison {
 public:
  // Largest difference of w of two solvers that agree.
  static constexpr double agreement = 1e-6;

  // The results of one solver over all problems.
  struct Result {
    ContactLawErrors laws;  // the largest errors over all problems, computed by the host
    int problem = 1;        // number of the problem with the largest residual, counted from 1
    int at_bounds = 0;      // number of rows at a bound, without those of friction groups
    long long iterations = 0, most_iterations = 0;
    double ns = 0;           // time of a call, from measure()
    std::string failure;     // why the solver failed in a problem, or ""
    int failed_problem = 0;  // number of the first problem in which it failed
  };
  // The largest differences of two solvers.
  struct Pair {
    int a, b;
    double lambda = 0, w = 0;
    int problem = 1;  // number of the problem with the largest difference of w
    bool differ() const { return !(w <= agreement); }
  };

  void add(std::unique_ptr<ConstraintSolver> solver);
  // Solves a problem with every solver.
  void compare(const ConstraintProblem& problem);
  // Measures the time of each solver for the problem, for at least `enough_ns` each.
  void measure(const ConstraintProblem& problem, double enough_ns);

  int problems() const { return problems_; }
  const std::vector<Result>& results() const { return results_; }
  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  std::vector<std::unique_ptr<ConstraintSolver>> solvers_;
  std::vector<Result> results_;
  std::vector<Pair> pairs_;
  int problems_ = 0;
};

}  // namespace torsor
