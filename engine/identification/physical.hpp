#pragma once
// Checks whether base parameters are physically possible. They are if links of non-negative
// density, rotors of non-negative inertia and dissipative friction can have them. A link is
// possible if its pseudo-inertia
//   [ Sigma  h ]
//   [ h^T    m ],   Sigma = tr(I)/2 1 - I
// is positive semidefinite (Wensing, Kim and Slotine 2018).

#include <vector>

#include "torsor/identification/base_parameters.hpp"

namespace torsor {

struct PhysicalCheck {
  // The parameters of a possible robot, near to the model's own. Their base parameters are within
  // the allowed width of the estimates if possible() is true, and otherwise near to them.
  std::vector<double> standard;
  // The largest distance of their base parameters from the estimates, relative to the allowed
  // width, and the index of that base parameter. If it is at most 1, a robot can have the
  // estimates.
  double farthest;
  int of;
  bool possible() const { return farthest <= 1; }
};

// Checks whether base parameters are physically possible. estimate: [rank] the base parameters.
// allowed: [rank] the allowed distance from each estimate, in its unit.
PhysicalCheck check_physical(const BaseParameters& base, const std::vector<double>& estimate,
                             const std::vector<double>& allowed);

}  // namespace torsor
