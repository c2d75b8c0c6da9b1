#pragma once
// What joints transmit.

#include <span>
#include <vector>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// The wrench BY the parent ON the body that each joint carries, of all that is between the two
// together: bearing, motor, spring, friction and stop. [n_body], N m and N, at the origin of the
// body in its axes; of body 0 what the world needs to stay where it is. At q, v, motion of the
// world, gravity and applied wrenches of the state, and vdot [n_v]. Along the joint's own columns
// it is what is left of inverse dynamics without the rotors, S . W = tau - armature vdot, whatever
// the solver.
std::vector<Wrench<double>> joint_wrenches(const State& state, std::span<const double> vdot);

// Of these, that of one joint at the origin of the frame of the link that it carries, in the axes
// of that frame or of the world.
Wrench<double> at_link(const State& state, const Joint& joint, std::span<const Wrench<double>> W_B,
                       Axes axes = Axes::frame);

}  // namespace torsor
