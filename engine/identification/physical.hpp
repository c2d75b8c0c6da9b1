#pragma once
// Checks whether base parameters are physically possible: whether links of non-negative density,
// rotors of non-negative inertia and friction that takes energy can have them. A link is possible
// if its pseudo-inertia
//   [ Sigma  h ]
//   [ h^T    m ],   Sigma = tr(I)/2 1 - I
// is positive semidefinite (Wensing, Kim and Slotine 2018).

#include <vector>

#include "torsor/identification/base_parameters.hpp"

namespace torsor {

struct PhysicalCheck {
  // The set of such parameters that was found, of those with the estimates the nearest to the
  // model's own, or, where there are none, with base parameters near to the estimates.
  std::vector<double> standard;
  // How far its base parameters are from the estimates: the largest part of the width allowed, and
  // whose it is. At most 1: a robot can have them.
  double farthest;
  int of;
  bool possible() const { return farthest <= 1; }
};

// estimate, allowed [rank]: base parameters, and how far off a robot's may be.
PhysicalCheck check_physical(const BaseParameters& base, const std::vector<double>& estimate,
                             const std::vector<double>& allowed);

}  // namespace torsor
