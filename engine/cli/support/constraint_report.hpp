#pragma once
// Reports a comparison of constraint solvers as text and JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "torsor/analysis/constraint_comparison.hpp"
#include "torsor/cli/support/constraint_rows.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

class ConstraintReport {
 public:
  ConstraintReport(std::string file, std::string subject, uint64_t seed);

  void add_solver(const PluginInfo& plugin, std::unique_ptr<ConstraintSolver> solver);
  // Solves the problem of a state with every solver.
  void compare(const ConstraintRowsAt& rows);
  // Measures the time of each solver for the problem.
  void measure(const ConstraintRowsAt& rows);

  std::string text() const;
  nlohmann::ordered_json json() const;
  // Returns a message about the first solver that finds no solution, or the first two that
  // disagree. Returns "" if there are none.
  std::string broken_line() const;

 private:
  std::string pair_name(const ConstraintComparison::Pair& pair) const;

  std::string file_, subject_;
  uint64_t seed_;
  std::vector<PluginInfo> plugins_;  // the solvers of the comparison
  ConstraintComparison comparison_;
  ConstraintRowsAt::Counts counts_;
};

}  // namespace torsor::cli
