#pragma once
// Compares all solvers of one model on the states of a run: their disagreements (current and worst)
// and the times of their calls. Each frame of the window does a part of the work. For models with
// many dof, a thread does the work, and the window shows its last results.

#include <array>
#include <optional>
#include <span>

#include "editor/probe/run_history.hpp"
#include "editor/support/background_job.hpp"
#include "torsor/analysis/comparison.hpp"

namespace torsor::editor {

class SolverWatch {
 public:
  struct Pair {
    Compared quantity;
    int a, b;  // indices in solvers()
    Disagreement now;
    Disagreement worst;     // largest of all states compared so far
    double worst_time = 0;  // time of the run in s
    std::string failure;    // reason why solver a or b failed at the worst state, or ""
  };

  explicit SolverWatch(std::vector<Solver> solvers);

  // Evaluates one more solver at the state being compared. After all solvers, compares their
  // results and takes a new state. Also times some calls, for 0.2 ms or one call. A state at rest
  // is timed with v = 1, because some calls do less work at v = 0.
  void advance(const State& state, const std::vector<double>& vdot, const std::vector<double>& tau);

  const std::vector<Solver>& solvers() const { return comparison_.solvers(); }
  bool compared() const { return shown_.states > 0; }
  // pairs() returns the pairs of solvers, all or for one quantity. They are sorted by quantity in
  // the order of all_compared, then by solver indices.
  std::span<const Pair> pairs() const { return shown_.pairs; }
  std::span<const Pair> pairs(Compared quantity) const;

  // Returns the shortest time per call of the batches so far, in ns, or NaN before the first batch
  // and if the call fails.
  double call_ns(int solver, Quantity quantity) const { return timing(solver, quantity).best_ns; }

  // disagreements() returns the worst disagreement of any pair as a fraction of the tolerance, over
  // the time of the run. call_times() returns the shortest time per call in ns, over the time of
  // the run. Timing continues slowly after the best time is known.
  const RunHistory& disagreements(Compared quantity) const {
    return shown_.disagreements[size_t(quantity)];
  }
  const RunHistory& call_times(int solver, Quantity quantity) const {
    return timing(solver, quantity).history;
  }

 private:
  struct Timing {
    Timing();
    double best_ns;
    long calls = 1;  // calls in the next batch
    int batches = 0;
    RunHistory history{RunHistory::Keep::smallest};
  };
  using Timings = std::vector<std::array<Timing, std::size(all_quantities)>>;
  struct Results {
    std::vector<Pair> pairs;
    std::vector<RunHistory> disagreements;  // indexed by Compared
    long states = 0;
    Timings timings;  // by solver
  };
  void work(const State& state, const std::vector<double>& vdot, const std::vector<double>& tau);
  void compare(const State& state, const std::vector<double>& vdot, const std::vector<double>& tau);
  void judge();
  void time_calls(const State& state, const std::vector<double>& vdot,
                  const std::vector<double>& tau);
  double time_batch(Solver& solver, Quantity quantity, const State& state, const double* given,
                    Timing& timing);
  const Timing& timing(int solver, Quantity quantity) const {
    return shown_.timings[size_t(solver)][size_t(quantity)];
  }

  Comparison comparison_;
  Results shown_, results_;  // read by the window; written by the work

  // The state being compared, and the next solver to evaluate.
  std::optional<State> state_;
  std::vector<double> vdot_, tau_;
  int next_ = 0;

  size_t next_timing_ = 0;
  double credit_ns_ = 0;  // time left for more timing after the best times are known
  std::vector<double> out_;
  BackgroundJob job_;  // last: ends before the members that it uses are destroyed
};

}  // namespace torsor::editor
