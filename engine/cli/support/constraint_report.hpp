#pragma once
// Compares constraint solvers on the same problems, as text and JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "torsor/cli/support/constraint_rows.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

class ConstraintReport {
 public:
  // The results of one solver over all states.
  struct Result {
    PluginInfo plugin;
    double residual = 0;  // the largest one (torsor_constraint_result), computed by the host
    int state = 1;        // number of the state with this residual, counted from 1
    int at_bounds = 0;    // number of rows at a bound, in all states
    long long iterations = 0, most_iterations = 0;
    double ns = 0;        // time of a call
    std::string failure;  // why the solver failed in a state, or ""
  };
  // The largest differences of two solvers. Rows are scaled to G_ii = 1. The differences are
  // relative to the denominator of the residual.
  struct Pair {
    int a, b;
    double lambda = 0, w = 0;
    int state = 1;  // number of the state with the largest difference of w
  };

  ConstraintReport(std::string file, std::string subject, uint64_t seed);

  void add_solver(const PluginInfo& plugin, std::unique_ptr<ConstraintSolver> solver);
  // Solves a problem with every solver.
  void compare(const ConstraintRowsAt& rows);
  // Measures the time of each solver for the problem.
  void measure(const ConstraintRowsAt& rows);

  std::string text() const;
  nlohmann::ordered_json json() const;
  // Returns a message about the first solver that finds no solution, or the first two that
  // disagree. Returns "" if there are none.
  std::string broken_line() const;

 private:
  std::string pair_name(const Pair& pair) const;

  std::string file_, subject_;
  uint64_t seed_;
  std::vector<std::unique_ptr<ConstraintSolver>> solvers_;
  std::vector<Result> results_;
  std::vector<Pair> pairs_;
  ConstraintRowsAt::Counts counts_;
  int states_ = 0;
};

}  // namespace torsor::cli
