#pragma once
// Limits of velocity and acceleration from the data of the actuators (KHALIL, section 8.3).
//
//   k_v = speed of the actuator,   k_a = torque of the actuator / max A_jj(q)
// A_jj is the inertia about joint j when the other joints are locked, with the rotor, also if a
// spring or a transmission whose Jacobian depends on q drives the joint. k_a neglects
// gravity, friction, the other joints and the velocity, so that a trajectory within k_v and k_a may
// exceed the torques. check_torques() finds the duration at which it does not.
//
// The maximum of A_jj over the position limits of the joints is searched along one dof after the
// other: 24 samples over its range, then a golden-section search around the best. It is repeated
// until A_jj increases no more, from 8 starts. A_jj is a trigonometric polynomial of second degree
// in an angle, and of second degree in a length, so that 24 samples find the maximum along a dof.
// The search is not exhaustive: the result is a lower bound of the true maximum.

#include <functional>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor {

// Data of a motor at its shaft. Infinite values are unknown.
struct MotorData {
  double speed, torque;  // rad/s, N m
};

// Limits of each dof [n_v], infinite without actuator data.
struct ActuatorLimits {
  std::vector<double> speed;         // k_v, rad/s or m/s
  std::vector<double> acceleration;  // k_a, rad/s^2 or m/s^2
  std::vector<double> inertia;       // max A_jj, kg m^2 or kg; 0 for a dof without a torque limit
};

// Computes the limits from the velocity limit, the effort limit and the stall torque of each joint,
// and from the amplifiers, the motors' data and the gear ratios. The amplifiers and motors of
// transmissions are not considered. motors: [n_v], or empty. A joint that mimics another one is
// part of the inertia of that one, limits its speed, and has the limits of that one times the
// ratio. Throws Error if the inertia grows without bound because a linear dof has no position
// limits, or if a limit is 0. working: called with the number of mass matrices before they are
// computed; it may throw, to end the search.
ActuatorLimits actuator_limits(const std::shared_ptr<const Model>& model, Solver& solver,
                               const std::vector<MotorData>& motors,
                               const std::function<void(int kernels)>& working);

}  // namespace torsor
