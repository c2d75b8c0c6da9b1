#pragma once
// Rotors that are bodies: the effect of a spinning rotor on the link that carries it.

#include "torsor/model/builder.hpp"

namespace torsor {

// Adds a link NAME_rotor for each joint NAME whose motor is a body. Its parent is the parent of the
// joint's link. Its revolute joint has the same name, turns about the joint's axis and mimics the
// joint at N times its rate. If the joint is elastic, the rotor drives it by the spring instead, at
// 1/N of its own coordinate.
//
// The rotor has the inertia J_m about its axis and nothing else. Its mass and the inertia that does
// not spin belong to the parent. With omega of the parent and the axis e, its kinetic energy is
//   J_m (e . omega + N v)^2 / 2
// whereas that of an armature N^2 J_m is J_m (N v)^2 / 2 (Spong; KHALIL 7.29). If the joint is
// elastic, N v is the rotor's own rate. Throws Error if the joint is not revolute.
RobotDescription with_rotor_bodies(const RobotDescription& robot);

}  // namespace torsor
