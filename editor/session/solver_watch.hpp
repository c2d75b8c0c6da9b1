#pragma once
// Compares all solvers of one model on the states of a run: how far they disagree, now and at
// worst, and what their calls cost. Each frame of the window does a little of it. For models of
// many degrees of freedom a thread does it, and the window shows the last results.

#include <array>
#include <optional>
#include <span>

#include "editor/session/background_job.hpp"
#include "editor/session/run_history.hpp"
#include "torsor/analysis/comparison.hpp"

namespace torsor::editor {

class SolverWatch {
 public:
  struct Pair {
    Compared quantity;
    int a, b;  // of solvers()
    Disagreement now;
    Disagreement worst;     // of all states compared so far
    double worst_time = 0;  // s, of the run
    std::string failure;    // why one of them gave no answer at the worst, or ""
  };

  explicit SolverWatch(std::vector<Solver> solvers);

  // Evaluates one more solver, or judges the answers when each was evaluated at one state; and
  // times some calls, for 0.2 ms or one call. At rest, where some calls have less to do, calls are
  // timed at v = 1.
  void advance(const State& state, const std::vector<double>& vdot, const std::vector<double>& tau);

  const std::vector<Solver>& solvers() const { return comparison_.solvers(); }
  bool compared() const { return shown_.states > 0; }
  // Time of the state that `now` is about, s.
  double compared_at() const { return shown_.judged_time; }
  // By quantity, in the order of all_compared, then by solvers.
  std::span<const Pair> pairs() const { return shown_.pairs; }
  std::span<const Pair> pairs(Compared quantity) const;

  // ns per call, the best of the batches so far; NaN before the first, and where the call fails.
  double call_ns(int solver, Quantity quantity) const { return timing(solver, quantity).best_ns; }

  // Over the time of the run, of all states visited there: the worst disagreement of any pair as a
  // fraction of what is allowed, and the shortest ns per call. Timing continues slowly when the
  // best is known.
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
    long calls = 1;  // of the next batch
    int batches = 0;
    RunHistory history{RunHistory::Keep::least};
  };
  using Timings = std::vector<std::array<Timing, std::size(all_quantities)>>;
  struct Results {
    std::vector<Pair> pairs;
    std::vector<RunHistory> disagreements;  // by Compared
    long states = 0;
    double judged_time = 0;
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
  Results shown_, results_;  // what the window reads; what the work writes

  // The state in hand, and the next solver to be evaluated at it.
  std::optional<State> state_;
  std::vector<double> vdot_, tau_;
  int next_ = 0;

  size_t next_timing_ = 0;
  double credit_ns_ = 0;  // for timing on when the best is known
  std::vector<double> out_;
  BackgroundJob job_;  // last: it ends before what it works on goes
};

}  // namespace torsor::editor
