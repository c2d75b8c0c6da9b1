#pragma once
// Fits parameters of a physically possible robot to estimated base parameters. Physically possible
// are links of positive density, rotors of positive inertia and dissipative friction. A link has a
// possible density if its pseudo-inertia
//   [ Sigma  h ]
//   [ h^T    m ],   Sigma = tr(I)/2 1 - I
// is positive semidefinite (Wensing, Kim and Slotine 2018).

#include <vector>

#include "torsor/identification/identify.hpp"

namespace torsor {

// Parameters of a physically possible robot that fit a measured motion.
struct PhysicalFit {
  std::vector<double> standard;  // [standard] pi
  std::vector<double> base;      // [rank] B pi
  // |R (base - estimate)| / sqrt(rank). The base parameters of the true robot have a distance of
  // about 1.
  double distance;
  // The largest distance of a base parameter from its estimate, in half widths of the confidence
  // interval of the estimate. `of` is the index of this base parameter.
  double farthest;
  int of;
  // Returns true if all base parameters are within the intervals.
  bool within_intervals() const { return farthest <= 1; }
};

// Fits physical parameters. Every link gets a positive density, every rotor a positive inertia, and
// every joint a positive friction. Solves the convex problem
//   min over pi:  1/2 |R (B pi - x)|^2 + gamma sum_l D(P_l(pi), P_l0)
// x are the estimates of identify(), and R^T R is the inverse of their covariance. B pi are the
// base parameters. P_l is the pseudo-inertia of link l (as above), and P_l0 that of the model.
//   D(P, P_0) = tr(P_0^-1 P) - log det P
// is infinite at the boundary of the possible inertias. It also selects, among robots with the same
// base parameters, the one that is nearest to the model (Lee, Wensing and Park 2020, "Geometric
// robot dynamic identification"). For a rotor inertia or a friction parameter, P is a number.
//
// gamma is small enough that D increases |R (B pi - x)|^2 by about one at most, as a single
// equation does.
//
// Exact data have standard deviations of the size of rounding errors. They count as a millionth of
// the torques, also in `distance` and `farthest`.
PhysicalFit fit_physical(const Identification& found);

}  // namespace torsor
