#pragma once
// Derivatives of the dynamics for `torsor eval`, as JSON. order: columns of the model in the order asked for. All throw Error where the
// solver has no such derivatives or gives none in this state.

#include <nlohmann/json.hpp>
#include <span>

#include "torsor/cli/states.hpp"
#include "torsor/dynamics/solver.hpp"

namespace torsor::cli {

// Rows and columns of a matrix, and entries of a vector, in this order.
nlohmann::ordered_json ordered_vector(std::span<const double> x, std::span<const int> order);
nlohmann::ordered_json ordered_matrix(std::span<const double> M, std::span<const int> order);
// By rows: [i][j][k].
nlohmann::ordered_json ordered_cube(std::span<const double> G, std::span<const int> order);

// d tau/dq, dv, dvdot; d vdot/dq, dv, dtau; and the second ones of tau.
nlohmann::ordered_json inverse_partials_json(Solver& solver, const State& state, const StateEntry& entry,
                                             std::span<const int> order);
nlohmann::ordered_json forward_partials_json(Solver& solver, const State& state, const StateEntry& entry,
                                             std::span<const int> order);
nlohmann::ordered_json second_partials_json(Solver& solver, const State& state, const StateEntry& entry,
                                            std::span<const int> order);
// tau, tau_dot, tau_ddot and, where the state gives crackle and pop, two more.
nlohmann::ordered_json rates_json(Solver& solver, const State& state, const StateEntry& entry,
                                  std::span<const int> order);
// M, C, g, Q and tau, each with _dot and _ddot.
nlohmann::ordered_json equation_rates_json(Solver& solver, const State& state, const StateEntry& entry,
                                           std::span<const int> order);

}  // namespace torsor::cli
