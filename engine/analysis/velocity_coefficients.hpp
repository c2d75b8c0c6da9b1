#pragma once
// The coefficients of the products of velocities before their symmetrisation (JIN 40, 41).

#include "torsor/handles/solver.hpp"

namespace torsor {

// Computes h_ijk [n_v][n_v][n_v] at q of the state, with the M and the Christoffel symbols of a
// solver. The torque or force of the velocities is
//
//   (C v)_i = sum_jk h_ijk v_j v_k,   h_ijk = d_k B_ij - 1/2 d_i B_jk              JIN 41
//
// B is M without armature. d_k is the derivative along the screw of dof k, which is the derivative
// with respect to q_k for a joint with one dof. If joints have several dof, the brackets of their
// screws add -1/2 (B([k, i], j) + B([j, i], k)), as in Hamel's equations.
//
// h_ijk is not symmetric in j and k. Its symmetric part is that of the Christoffel symbols. The
// matrix sum_k h_ijk v_k gives the right C v, but with it Mdot - 2C is not skew-symmetric.
[[nodiscard]] Status velocity_coefficients(Solver& solver, const State& state, double* h);

}  // namespace torsor
