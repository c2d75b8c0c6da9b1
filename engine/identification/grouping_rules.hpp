#pragma once
// The regrouping of inertial parameters in closed form (Gautier and Khalil 1990, "Direct
// calculation of minimum set of inertial parameters of serial robots"), here from the invariance of
// the equations: parameters may change by a delta without effect on any motion where the kinetic
// and the potential energy stay the same, up to a constant. Z is the joint's axis, P the body that
// carries it.

#include "torsor/identification/base_parameters.hpp"

namespace torsor {

// Nothing for models that the rules do not cover: with joints that are neither revolute nor
// prismatic, but for floating ones at the root, and with joints that mimic others.
std::optional<Grouping> group_by_rules(const LinearModel& linear, const Vec3<double>& gravity_W);

}  // namespace torsor
