#pragma once
// Rotors that are bodies: what a spinning rotor does to the link that carries it.

#include "torsor/model/builder.hpp"

namespace torsor {

// Adds to each joint NAME whose motor is a body the link NAME_rotor on the parent of its link: a
// revolute joint of that name about the joint's axis, that mimics the joint at N times its rate,
// or, of an elastic joint, drives it by the spring at 1/N of its own. The rotor is J_m about its
// axis and nothing else: its mass and what it adds to the parent that does not spin are in the
// parent's inertia. Its kinetic energy is
//   J_m (e . omega + N v)^2 / 2                                     omega: of the parent, e: the
//   axis
// where an armature N^2 J_m is J_m (N v)^2 / 2 (Spong; KHALIL 7.29); N v is the rotor's own rate
// where the joint is elastic. Throws Error for a joint that is not revolute.
RobotDescription with_rotor_bodies(const RobotDescription& robot);

}  // namespace torsor
