#pragma once
// Reports a comparison of constraint solvers as text and JSON.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "torsor/analysis/constraint_comparison.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

class ConstraintReport {
 public:
  enum class Kind {
    constraints,  // of the model: closures, mimic joints, dry friction, stops
    contacts,     // of a run
  };
  // file: as it was given.
  ConstraintReport(Kind kind, std::string file);

  void add_solver(const PluginInfo& plugin, std::unique_ptr<ConstraintSolver> solver);
  // Adds a solver that cannot solve the problems.
  void reject(const PluginInfo& plugin, std::string reason);
  size_t n_solvers() const { return plugins_.size(); }
  const std::vector<std::pair<PluginInfo, std::string>>& rejected() const { return rejected_; }
  // Solves the problem of a state with every solver.
  void compare(const ConstraintProblem& problem) { comparison_.compare(problem); }
  // Measures the time of each solver for the problem.
  void measure(const ConstraintProblem& problem) { comparison_.measure(problem, 5e6); }
  int problems() const { return comparison_.problems(); }

  // `about`: describes the states and rows, one line each.
  std::string text(const std::string& about) const;
  // Returns { solvers =, not_applicable =, differences = }.
  nlohmann::ordered_json json() const;
  // Returns a message about the first solver that finds no solution, or, for constraints, the first
  // two that disagree. Returns "" if there are none.
  std::string broken_line() const;

 private:
  bool is_broken(const ConstraintComparison::Pair& pair) const;
  std::string solver_table() const;
  std::string pair_table() const;
  std::string pair_name(const ConstraintComparison::Pair& pair) const;

  Kind kind_;
  std::string file_;
  std::vector<PluginInfo> plugins_;  // the solvers of the comparison
  std::vector<std::pair<PluginInfo, std::string>> rejected_;
  ConstraintComparison comparison_;
};

}  // namespace torsor::cli
