#pragma once
// Compares other solvers with the experiment's solver at each recorded row of a run.

#include <span>
#include <string>
#include <vector>

#include "torsor/analysis/comparison.hpp"

namespace torsor {

struct Experiment;
class Simulation;

// Throws Error if an experiment compares its solver with itself, or twice with the same solver.
void check_compared(const Experiment& experiment);

class RunComparison {
 public:
  // The worst disagreement in one quantity over the rows so far.
  struct Worst {
    Disagreement disagreement;
    double time = 0;      // s
    std::string failure;  // why a solver failed at this time, or ""
  };

  explicit RunComparison(const Experiment& experiment);

  // Returns the ids of the compared solvers without the prefix "solver.".
  const std::vector<std::string>& solvers() const { return names_; }
  // Compares the solvers at the simulation's present state, with its acceleration, wrenches and
  // joint_torque(). Returns the disagreements with the experiment's solver for each compared solver
  // in turn, indexed by Compared. The result is valid until the next call.
  std::span<const Disagreement> at(Simulation& simulation);

  // Continues another comparison of the same solvers: copies its worst disagreements and its number
  // of rows.
  void continue_from(const RunComparison& last) {
    worst_ = last.worst_;
    rows_ = last.rows_;
  }

  const Worst& worst(int solver, Compared quantity) const;
  long long rows() const { return rows_; }

 private:
  std::vector<std::string> names_;
  // Indexed by Simulation::present_model(). In each comparison, the experiment's solver is the
  // first.
  std::vector<Comparison> comparisons_;
  std::vector<Disagreement> now_;
  std::vector<Worst> worst_;
  long long rows_ = 0;
};

}  // namespace torsor
