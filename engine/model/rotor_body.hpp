#pragma once
// Rotors as separate bodies, to model how a spinning rotor acts on the link to which its motor is
// mounted.

#include "torsor/model/builder.hpp"

namespace torsor {

// Adds a link NAME_rotor for each joint NAME whose motor is a body. The parent of this link is the
// parent of the joint's link. A revolute joint NAME_rotor turns the rotor about the joint's axis.
// It mimics the joint with the ratio N. If the joint is elastic, a spring connects the rotor to the
// joint instead, at 1/N of the rotor's coordinate.
//
// The rotor has only the inertia J_m about its axis. The mass of the motor, and its inertia about
// other axes, must be included in the parent. With omega of the parent and the axis e, the kinetic
// energy of the rotor is
//   J_m (e . omega + N v)^2 / 2
// An armature N^2 J_m has the kinetic energy J_m (N v)^2 / 2 instead (Spong; KHALIL 7.29). If the
// joint is elastic, the rotor's own rate replaces N v. Throws Error if the joint is not revolute.
RobotDescription with_rotor_bodies(const RobotDescription& robot);

// Returns the dof that do not move on their own, with the dof of_dof that they follow, which follow
// no other: the mimics, and the rotors that springs connect to their dof. Such a rotor follows its
// dof if the spring is at rest.
std::vector<Mimicry> followers(const Model& model);

}  // namespace torsor
