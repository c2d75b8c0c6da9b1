#pragma once
// The dynamics as a linear function of the inertial parameters (KHALIL 9.3), with the velocity of
// the Coriolis term split in two (Slotine and Li 1987):
//   Y(q, v, v_r, a_r) pi = M(q) a_r + C(q, v) v_r + g(q)
// without armature, where C makes Mdot - 2C skew. With v_r = v and a_r = vdot it is inverse
// dynamics.

#include <array>
#include <span>

#include "torsor/mechanics/state.hpp"

namespace torsor {

// Numbers of a body's inertia (torsor_model.inertia_B): m, m c, Ixx Iyy Izz Ixy Ixz Iyz about its
// origin in its axes.
inline constexpr int n_inertial = 10;

// An inertia from its numbers and back, and the one whose number p is 1 and whose others are 0.
constexpr SpatialInertia<double> inertia_of(const std::array<double, n_inertial>& x) {
  return {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
}
constexpr std::array<double, n_inertial> inertial_numbers(const SpatialInertia<double>& M) {
  return {M.m, M.h.x, M.h.y, M.h.z, M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz};
}
constexpr SpatialInertia<double> unit_inertia(int p) {
  std::array<double, n_inertial> x{};
  x[size_t(p)] = 1;
  return inertia_of(x);
}

// Y [n_v][n_inertial n_body] by rows, at the q and v of the state under its gravity; v_r, a_r
// [n_v]. The columns of the world's body are zero. The scratch has regressor_scratch() twists. No
// allocation.
void regressor(const State& state, const double* v_r, const double* a_r,
               std::span<Twist<double>> scratch, double* Y);
size_t regressor_scratch(const Model& model);

}  // namespace torsor
