#pragma once
// Checks whether base parameters are physically possible. They are possible if some robot has these
// values, with links of non-negative density, rotors of non-negative inertia and dissipative
// friction. A link has a possible density if its pseudo-inertia
//   [ Sigma  h ]
//   [ h^T    m ],   Sigma = tr(I)/2 1 - I
// is positive semidefinite (Wensing, Kim and Slotine 2018).

#include <vector>

#include "torsor/identification/base_parameters.hpp"

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

}  // namespace torsor
