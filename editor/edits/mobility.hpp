#pragma once
// How the joints of a mechanism can move a point, with the constraints that always hold.

#include <Eigen/Core>
#include <span>

#include "torsor/constraints/loops/assembly.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

// Returns the Jacobian [3 x n_v] of the velocity of a point that is fixed in the frame, in the axes
// of the frame. p: position of the point in the frame. The velocity is v + w x p, where (w, v) is
// the frame's body twist.
Eigen::MatrixXd point_jacobian(const State& state, const Frame& frame, const Vec3<double>& p);

// Returns the rows of mimic joints, of closures and of the fixed dof, [rows x n_v]. fixed: flags
// [n_v].
Eigen::MatrixXd holonomic_rows(const State& state, std::span<const char> fixed);
// Returns flags [n_v] of the prescribed dof of a simulation.
std::vector<char> prescribed_dof(const Simulation& simulation);

// Returns the inverse mass matrix of the motions with J v = 0, [n_v x n_v]:
//   W = M^-1 - M^-1 J^T (J M^-1 J^T)^-1 J M^-1,   with independent rows of J.
Eigen::MatrixXd free_inverse_mass(const Eigen::MatrixXd& M_inverse, const Eigen::MatrixXd& J);

// Returns the mobility of a point, averaged over all directions: trace(P W P^T) / 3, 1/kg.
// P: point_jacobian(), W: free_inverse_mass(). Throws Error with the reason if no motion with
// J v = 0 moves the point; `what` is the beginning of the message.
double mobility(const State& state, const Frame& frame, const Eigen::MatrixXd& P,
                const Eigen::MatrixXd& M_inverse, const Eigen::MatrixXd& W,
                const std::string& what);

}  // namespace torsor::editor
