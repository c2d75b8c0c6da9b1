#pragma once
// A solver that computes many states. If its plugin offers torsor.solver.batch/1, it computes
// several states at once, one in each lane of a SIMD register. Otherwise it computes them one by
// one.

#include <array>
#include <optional>

#include "torsor/batch/state_block.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

// The outcome of the computation of a batch. The results of states that failed are NaN.
struct BatchStatus {
  size_t failed = 0;  // number of states that failed
  size_t state = 0;   // the first of them
  Status status;      // of this state; Solver::explain() names the cause
  explicit operator bool() const { return failed == 0; }
};

class BatchSolver {
 public:
  // Allocates the memory of all calls. The solver must outlive this object, and must not be moved.
  explicit BatchSolver(Solver& solver);
  ~BatchSolver();
  BatchSolver(const BatchSolver&) = delete;

  // Returns the number of states that the plugin computes at once, or 1.
  size_t lanes() const;
  // Return whether a quantity is computed for several states at once.
  bool is_in_lanes(Quantity quantity) const;
  bool has_inverse_partials_in_lanes() const;
  bool has_forward_partials_in_lanes() const;
  bool has_rates_in_lanes() const;

  // Compute a quantity of every state, as the functions of Solver with the same names do.
  //
  // [hot] Do not allocate. Deterministic: the result of a state does not depend on the other states
  // of the batch, nor on its place in it. Only one thread at a time may use a BatchSolver or its
  // Solver. `given` is [n_v][stride], and results are [entries][stride], in the layout of the batch
  // (StateBatch). Results are written fastest to addresses that are multiples of 64.
  // quantity: one with at most two indices.
  [[nodiscard]] BatchStatus evaluate(Quantity quantity, StateBatch& batch, const double* given,
                                     double* out);
  [[nodiscard]] BatchStatus inverse_partials(StateBatch& batch, const double* vdot,
                                             const Solver::InversePartials& out);
  [[nodiscard]] BatchStatus forward_partials(StateBatch& batch, const double* tau,
                                             const Solver::ForwardPartials& out);
  // Computes tau and its time derivatives up to an order, at most max_rate_order() of the solver:
  // [order + 1][n_v][stride], from vdot and
  // its derivatives [order + 1][n_v][stride]. The wrenches are constant in body axes, and the world
  // frame moves with a constant Vdot_W.
  [[nodiscard]] BatchStatus rates(StateBatch& batch, int order, const double* vdot, double* tau);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
