#pragma once
// Checks whether base parameters are physically possible. They are possible if some robot has these
// values, with links of non-negative density, rotors of non-negative inertia and dissipative
// friction. A link has a possible density if its pseudo-inertia
//   [ Sigma  h ]
//   [ h^T    m ],   Sigma = tr(I)/2 1 - I
// is positive semidefinite (Wensing, Kim and Slotine 2018).

#include <vector>

#include "torsor/identification/identify.hpp"

namespace torsor {

struct PhysicalCheck {
  // Parameters of a physically possible robot, near to those of the model. If possible() is true,
  // their base parameters are within the allowed distance from the estimates.
  std::vector<double> standard;
  // The largest distance of a base parameter of this robot from its estimate, relative to the
  // allowed distance. The estimates are possible if it is at most 1. `of` is the index of this base
  // parameter.
  double farthest;
  int of;
  bool possible() const { return farthest <= 1; }
};

// Checks whether base parameters are physically possible. estimate: [rank] the base parameters.
// allowed: [rank] the allowed distance from each estimate, in its unit.
PhysicalCheck check_physical(const BaseParameters& base, const std::vector<double>& estimate,
                             const std::vector<double>& allowed);

// Parameters of a physically possible robot that fit a measured motion.
struct PhysicalFit {
  std::vector<double> standard;  // [standard] pi
  std::vector<double> base;      // [rank] B pi
  // |R (base - estimate)| / sqrt(rank). The base parameters of the true robot have a distance of
  // about 1. The standard deviations of exact data count as a millionth of the torques.
  double distance;
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
PhysicalFit fit_physical(const Identification& found);

}  // namespace torsor
