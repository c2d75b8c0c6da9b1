#pragma once
// Groups inertial parameters in closed form (Gautier and Khalil 1990, "Direct calculation of
// minimum set of inertial parameters of serial robots"). The derivation here is the invariance of
// the equations: a change of the parameters has no effect on any motion if the kinetic and the
// potential energy stay the same up to a constant. Z is the joint's axis, and P is the body that
// carries the joint.

#include "torsor/identification/base_parameters.hpp"

namespace torsor {

// Returns the grouping, or nullopt for models that the rules do not cover. These are models with
// coupled transmissions, joints that mimic others, or joints other than revolute, prismatic, and
// floating at the root.
std::optional<Grouping> group_by_rules(const LinearModel& linear, const Vec3<double>& gravity_W);

}  // namespace torsor
