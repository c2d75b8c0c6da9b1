#pragma once
// The dynamics as a linear function of the inertial parameters (KHALIL 9.3), with two velocities in
// the Coriolis term (Slotine and Li 1987):
//   Y(q, v, v_r, a_r) pi = M(q) a_r + C(q, v) v_r + g(q)
// M does not include the armature, and C is such that Mdot - 2C is skew-symmetric. For v_r = v and
// a_r = vdot, the result is inverse dynamics.

#include <array>
#include <span>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Number of inertial parameters of a body: m, m c, Ixx Iyy Izz Ixy Ixz Iyz, about the origin of the
// body in its axes. The order is that of torsor_model.inertia_B.
inline constexpr int n_inertial = 10;

// Convert inertial parameters to an inertia and back.
constexpr SpatialInertia<double> inertia_of(const std::array<double, n_inertial>& x) {
  return {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
}
constexpr std::array<double, n_inertial> inertial_numbers(const SpatialInertia<double>& M) {
  return {M.m, M.h.x, M.h.y, M.h.z, M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz};
}
// Returns the inertia whose parameter p is 1 and whose other parameters are 0.
constexpr SpatialInertia<double> unit_inertia(int p) {
  std::array<double, n_inertial> x{};
  x[size_t(p)] = 1;
  return inertia_of(x);
}

// Computes Y [n_v][n_inertial n_body], stored by rows, at q, v, gravity and base motion of the
// state. v_r and a_r are [n_v]. The columns of body 0, the world, are zero. scratch: a buffer of
// regressor_scratch() twists. Does not allocate.
void regressor(const State& state, const double* v_r, const double* a_r,
               std::span<Twist<double>> scratch, double* Y);
size_t regressor_scratch(const Model& model);

}  // namespace torsor
