#pragma once
// Closing the loops of a mechanism from a position that may be far from one with closed loops.

#include <Eigen/Core>

#include "torsor/constraints/loops/constraint_rows.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

// Errors in m or rad that closed loops may have.
inline constexpr double largest_loop_error = 1e-9;

// Returns M^-1 [n_v x n_v] of the solver at the state. Throws Error if M is singular.
Eigen::MatrixXd inverse_mass(Solver& solver, const State& state);

// Changes q of the state until all rows are closed. Each step is the smallest one in the metric of
// M that removes the errors to first order, within the position limits of joints with one dof. A
// position that is beyond its limit at the start may stay there. held [n_v] flags the dof that keep
// their positions; it may be empty. solver: computes M. Throws Error, which names the loop with the
// largest error, the joints at their limits and the held joints, if no such position is found.
void assemble_position(State& state, std::span<const char> held, Solver& solver);

// Changes v of the state by the least v^T M v until J v = 0. The dof flagged in held keep their
// velocities. Throws Error if their velocities contradict a constraint.
void assemble_velocity(State& state, std::span<const char> held, Solver& solver);

}  // namespace torsor
