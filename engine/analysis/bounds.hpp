#pragma once
// Bounds of M, C and g for all positions of a robot (KHALIL 7.3.3.3 g).
//
// Rotations and translations are compared by a length L: moving a joint by L counts as turning a
// joint by 1 rad. With D = diag(1 or L), the velocities are D^-1 v, and
//
//   D M D  [kg m^2],   D C D  [kg m^2/s],   D g  [N m]
//
// have one unit. Norms are 2-norms of these. For L = 1 m they have the numbers of SI units. Let p
// be the coordinates in metres, divided by L, and theta all other coordinates. For given theta, a
// point of a body is an affine function of p. So M and C are polynomials in p of degree 2, and g
// has degree
// 1. For p = |p| u, with M = M_0 + |p| M_1(u) + |p|^2 M_2(u),
//
//   |M| <= a_1 + a_2 |p| + a_3 |p|^2,          a_1 = max |M_0|,  a_2 = max |M_1|,  a_3 = max |M_2|
//   |C| <= |v| (a_4 + a_5 |p| + a_8 |p|^2),    C_ij = sum_k G_ijk v_k, maxima over v too
//   |g| <= a_6 + a_7 |p|
//
// The maxima are over theta and u. KHALIL has no a_8. It is not zero if two rotations move a
// translating joint, as in a spherical arm: with a mass m at the distance r, C contains m r^2.
// The components u of p that do not move a lever arm contribute nothing.

#include <array>
#include <optional>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor {

// The largest number of dof for which bounds are computed, because C has n^3 symbols.
inline constexpr int most_columns_of_bounds = 40;

struct Bound {
  double value = 0;
  std::vector<double> q;  // [n_q] the position where it was found; p = 0 or |p| = 1 for a_i
};

struct DynamicsBounds {
  double length;           // L, m
  std::array<Bound, 8> a;  // a_1 .. a_8; 0 without translations, except for a_1, a_4, a_6
  // Extreme values within the limits of all joints. Empty if a joint that translates without limits
  // changes M.
  struct WithinLimits {
    Bound M_least;  // smallest eigenvalue of D M D
    Bound M, C, g;  // largest |D M D|, |D C D| / |D^-1 v| and |D g|
  };
  std::optional<WithinLimits> within_limits;
};

// Searches the maxima from many starts. theta is within the limits of the joints. Without limits,
// an angle is within half a turn. Mimic joints count as free. The results are the largest values
// found, not proofs. Throws Error in these cases:
// - The length is not positive, or there are more than most_columns_of_bounds dof.
// - A screw joint without limits is carried by another joint: its angle is also a translation.
// - The solver fails.
DynamicsBounds dynamics_bounds(Solver& solver, const Vec3<double>& gravity_W, double length = 1);

// Returns the largest value found for the inertia of each dof, [n_v], kg m^2 or kg (a_j of KHALIL
// 9.6): the diagonal entry of M. It includes the inertia of the dof that follow
// (model/rotor_body.hpp), whose own values are 0. Joints are within their limits. Without limits,
// they are within half a turn or 1 m of zero.
std::vector<double> largest_inertias(Solver& solver);

}  // namespace torsor
