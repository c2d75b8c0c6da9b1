#pragma once
// Groups inertial parameters in closed form (Gautier and Khalil 1990, "Direct calculation of
// minimum set of inertial parameters of serial robots"). The rules are derived from an invariance.
// A change of the parameters has no effect on any motion if it changes the kinetic and the
// potential energy only by constants.

#include "torsor/identification/base_parameters.hpp"

namespace torsor {

// Returns the grouping, or nullopt for models that the rules do not cover:
// - models with coupled transmissions or mimic joints
// - models with a joint that is not revolute or prismatic, except a floating joint at the root
std::optional<Grouping> group_by_rules(const LinearModel& linear, const Vec3<double>& gravity_W);

}  // namespace torsor
