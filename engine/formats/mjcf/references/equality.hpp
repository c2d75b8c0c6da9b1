#pragma once
// Closures from the <equality> of MJCF. MuJoCo holds these conditions with springs and dampers;
// closures hold exactly.
//
//   connect   spherical closure        body1, body2 and anchor, or site1 and site2
//   weld      weld closure
//   joint     gear or rack             q1 - q1_0 = c0 + c1 (q2 - q2_0); higher powers are not
//                                      supported
//   tendon    cable                    the same for the lengths of <fixed> tendons

#include "torsor/formats/mjcf/tree/tree.hpp"

namespace torsor::mjcf {

// Adds the closures to a robot. Conditions that the engine has no model for, that are not active at
// the start, that cannot be broken, or that a flag switches off, are noted in `files`.
void read_equality(Files& files, const Flags& flags, Tree& tree, RobotDescription& robot);

}  // namespace torsor::mjcf
