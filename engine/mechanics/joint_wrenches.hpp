#pragma once
// The measurements of sensors on a robot: the wrenches that joints transmit, and the specific force
// and angular velocity at a frame.

#include <span>
#include <vector>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// Returns the wrench that acts BY the parent ON the body of each joint, [n_body], N m and N, at the
// origin of the body in its axes. It includes the forces of bearing, motor, spring, friction and
// stop. Entry 0 is the wrench that keeps the world fixed. Uses q, v, base motion, gravity and
// applied wrenches of the state. vdot is [n_v]. Along the screws of the joint, S . W = tau -
// armature vdot: inverse dynamics without the armature. This is independent of the solver.
std::vector<Wrench<double>> joint_wrenches(const State& state, std::span<const double> vdot);

// The twist of a body and its time derivative by component, minus gravity, in the body's axes.
struct BodyMotion {
  Twist<double> V, A;
};
// Writes the same wrenches to W [n_body], for the wrenches F_B [n_body] on the bodies instead of
// those of the state. motions [n_body] is scratch memory. Does not allocate.
void joint_wrenches(const State& state, std::span<const double> vdot,
                    std::span<const Wrench<double>> F_B, std::span<BodyMotion> motions,
                    std::span<Wrench<double>> W);

// Returns the wrench that a joint transmits to its link, at the origin of the link's frame, in the
// axes of that frame or of the world. W_B: the result of joint_wrenches().
Wrench<double> at_link(const State& state, const Joint& joint, std::span<const Wrench<double>> W_B,
                       Axes axes = Axes::frame);
// Returns the same wrench at the origin of another frame F, in the axes of F.
Wrench<double> at_frame(const State& state, const Joint& joint, std::span<const Wrench<double>> W_B,
                        const Frame& F);

// The measurement of an inertial measurement unit (IMU) at a frame F, in the axes of F.
struct InertialMeasurement {
  Vec3<double> w;  // angular velocity of F, rad/s
  Vec3<double> a;  // specific force: the acceleration of the origin of F minus gravity, m/s^2
};
// Uses q, v, base motion and gravity of the state. vdot is [n_v]. An IMU at rest measures -g: 9.81
// m/s^2 upwards; one that falls freely measures 0.
InertialMeasurement inertial_measurement(const State& state, std::span<const double> vdot,
                                         const Frame& frame);

}  // namespace torsor
