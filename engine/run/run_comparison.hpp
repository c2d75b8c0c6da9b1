#pragma once
// Solvers compared with the experiment's own while it runs, on the recorded rows.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "torsor/analysis/comparison.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

struct Experiment;

// Returns a solver by its id, prepared for a model. Throws Error as Registry::solver.
using SolverSource = std::function<Solver(const std::string& id, std::shared_ptr<const Model>)>;

// Throws Error where the experiment is compared with its own solver or twice with the same.
void check_compared(const Experiment& experiment);

class RunComparison {
 public:
  // The worst of one quantity over the rows so far.
  struct Worst {
    Disagreement disagreement;
    double time = 0;      // s
    std::string failure;  // why a solver gave nothing there, or ""
  };

  explicit RunComparison(const Experiment& experiment);

  // Those compared, without their kind.
  const std::vector<std::string>& solvers() const { return names_; }
  // Of the simulation's present state, its acceleration and all that gives it, wrenches and
  // joint_torque(): for each compared solver the disagreements with the experiment's own, by
  // Compared. Valid until the next call.
  std::span<const Disagreement> at(Simulation& simulation);

  // Takes over the worst of a comparison of the same solvers.
  void go_on_from(const RunComparison& last) {
    worst_ = last.worst_;
    rows_ = last.rows_;
  }

  const Worst& worst(int solver, Compared quantity) const;
  long long rows() const { return rows_; }

 private:
  std::vector<std::string> names_;
  std::vector<Comparison>
      comparisons_;  // by present_model(); the experiment's own solver is the first of each
  std::vector<Disagreement> now_;
  std::vector<Worst> worst_;
  long long rows_ = 0;
};

}  // namespace torsor
