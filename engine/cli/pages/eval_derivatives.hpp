#pragma once
// Derivatives of the dynamics for `torsor eval`, as JSON. order: the model's degrees of freedom in
// the order of the output. All functions throw Error if the solver cannot compute the derivatives
// at this state.

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "torsor/cli/support/states.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::cli {

// Return a vector or a matrix with its entries, rows and columns in this order.
nlohmann::ordered_json ordered_vector(std::span<const double> x, std::span<const int> order);
nlohmann::ordered_json ordered_matrix(std::span<const double> M, std::span<const int> order);
// Returns an array [i][j][k] in this order.
nlohmann::ordered_json ordered_cube(std::span<const double> G, std::span<const int> order);

// Return d tau/d(q, v, vdot), d vdot/d(q, v, tau), and the second derivatives of tau.
nlohmann::ordered_json inverse_partials_json(Solver& solver, const State& state,
                                             const StateEntry& entry, std::span<const int> order);
nlohmann::ordered_json forward_partials_json(Solver& solver, const State& state,
                                             const StateEntry& entry, std::span<const int> order);
nlohmann::ordered_json second_partials_json(Solver& solver, const State& state,
                                            const StateEntry& entry, std::span<const int> order);
// Returns tau, tau_dot and tau_ddot, and two more derivatives if the state has crackle and pop.
nlohmann::ordered_json rates_json(Solver& solver, const State& state, const StateEntry& entry,
                                  std::span<const int> order);
// Returns M, C, g, Q and tau, each with _dot and _ddot.
nlohmann::ordered_json equation_rates_json(Solver& solver, const State& state,
                                           const StateEntry& entry, std::span<const int> order);

}  // namespace torsor::cli
