#pragma once
// The constraint problems of a model at given states.

#include <vector>

#include "torsor/constraints/closure_rows.hpp"
#include "torsor/handles/constraint_solver.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"

namespace torsor::cli {

// The rows of a state are those of closures and mimic joints, which are free; of dry friction, as
// if its joint stuck; and of stops, as if each joint were at the nearer one. Rows that contain a
// motor of an elastic joint are left out.
class ConstraintRowsAt {
 public:
  // solver: computes M^-1 and the accelerations without constraints.
  explicit ConstraintRowsAt(Solver solver);

  // Sets the problem for a state with torques tau [n_v]. Throws Error if the solver fails.
  void evaluate(const State& state, std::span<const double> tau);
  ConstraintProblem problem() const { return {G_.data(), c_, c_terms_, lower_, upper_}; }

  struct Counts {
    int closures = 0, mimics = 0, frictions = 0, stops = 0;
  };
  const Counts& counts() const { return counts_; }
  int n() const { return counts_.closures + counts_.mimics + counts_.frictions + counts_.stops; }

 private:
  void add(const ConstraintRow& row, int& count);
  bool is_nearest(size_t stop, const State& state) const;

  Solver solver_;
  Mechanism mechanism_;
  ClosureRows closures_;
  Counts counts_;
  std::vector<double> M_inverse_, vdot_;
  std::vector<ConstraintRow> rows_;
  std::vector<double> G_, c_, c_terms_, lower_, upper_;
};

}  // namespace torsor::cli
