#pragma once
// The table of the quantities that are computed for many states. The commands and Lua use its rows.

#include <functional>
#include <string>
#include <vector>

#include "torsor/batch/batch_solver.hpp"

namespace torsor {

// A vector or a matrix over the dof.
struct BatchResult {
  std::string name;
  bool is_matrix;
  // Returns the SI unit of an entry. row_turns: true if its first index is a rotational dof.
  std::function<std::string(bool row_turns, bool column_turns)> unit;
  // Returns the number of its entries for a state.
  size_t entries(const Model& model) const {
    return size_t(model.n_v) * (is_matrix ? size_t(model.n_v) : 1);
  }
};

// A quantity with one result or several.
struct BatchQuantity {
  std::string name;  // as in `torsor eval --quantity`
  std::vector<BatchResult> results;
  // Computes the results of all states: out[r] is [entries][stride]. The arguments are those of
  // BatchSolver.
  std::function<BatchStatus(BatchSolver&, StateBatch&, const double* vdot, const double* tau,
                            double* const* out)>
      evaluate;
  std::function<bool(const BatchSolver&)> is_in_lanes;
};

// Returns all rows: the quantities of solvers with at most two indices, and partial derivatives.
std::vector<BatchQuantity> batch_quantities();

// Returns the rows with these names, of a solver that offers them. Throws Error "what: ..." if
// there is no such row, or if the solver has no partial derivatives.
std::vector<BatchQuantity> batch_quantities(const std::vector<std::string>& names,
                                            const Solver& solver, const std::string& what);

}  // namespace torsor
