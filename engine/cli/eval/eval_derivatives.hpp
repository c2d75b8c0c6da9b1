#pragma once
// Computes derivatives of the dynamics for `torsor eval` as JSON. Argument `order` of all
// functions: the indices of the model's dof in the order of the output. Functions that call a
// solver throw Error if the solver cannot compute the derivatives at this state.

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "torsor/cli/support/states.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::cli {

// Return a vector or a matrix with its entries, rows and columns in the given order.
nlohmann::ordered_json ordered_vector(std::span<const double> x, std::span<const int> order);
nlohmann::ordered_json ordered_matrix(std::span<const double> M, std::span<const int> order);
// Returns a three-dimensional array G[i][j][k] with all indices in the given order.
nlohmann::ordered_json ordered_cube(std::span<const double> G, std::span<const int> order);

// Return the partial derivatives of the dynamics:
// - inverse_partials_json: d tau/dq, d tau/dv and d tau/dvdot;
// - forward_partials_json: d vdot/dq, d vdot/dv and d vdot/dtau;
// - second_partials_json: the second partial derivatives of tau.
nlohmann::ordered_json inverse_partials_json(Solver& solver, const State& state,
                                             const StateEntry& entry, std::span<const int> order);
nlohmann::ordered_json forward_partials_json(Solver& solver, const State& state,
                                             const StateEntry& entry, std::span<const int> order);
nlohmann::ordered_json second_partials_json(Solver& solver, const State& state,
                                            const StateEntry& entry, std::span<const int> order);
// Returns tau, tau_dot and tau_ddot. Returns also the third and fourth time derivatives of tau if
// the state contains crackle and pop.
nlohmann::ordered_json rates_json(Solver& solver, const State& state, const StateEntry& entry,
                                  std::span<const int> order);
// Returns M, C, g, Q and tau, each with its first and second time derivatives (_dot, _ddot).
nlohmann::ordered_json equation_rates_json(Solver& solver, const State& state,
                                           const StateEntry& entry, std::span<const int> order);

}  // namespace torsor::cli
