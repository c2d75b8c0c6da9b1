#pragma once
// The torques that a motion of the joints needs, compared with the limits of the joints, and the
// uniform change of its duration that meets the limits (KHALIL, section 8.5; Hollerbach 1984).

#include <vector>

#include "torsor/handles/desired_motion.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor {

// A use up to this much above 1 counts as rounding.
inline constexpr double use_rounding = 1e-9;

// The use of one dof along a motion. Torques are N m, or N for a linear dof.
struct TorqueUse {
  double peak = 0, peak_time = 0;  // largest |tau|, and when, s
  double limit;                    // of the joint; infinite if it has none
  // Largest torque at the shaft of the motor with the index of this dof (model/transmission.hpp), N
  // m. 0 for a joint without a motor.
  double motor_peak = 0;
  // The largest of |tau| / limit, |v| / velocity limit, the current and the voltage of the motor
  // divided by their limits, and the torque in the direction of motion divided by what the motor
  // can give at this speed. Above 1, a limit is exceeded.
  double use = 0, use_time = 0;
  bool is_limited = false;  // a limit of this dof is compared
  // Times of the first and the last sample at which a limit is exceeded, s; NaN if there is none.
  double exceeded_from, exceeded_to;
};

struct TorqueCheck {
  std::vector<TorqueUse> dofs;  // [n_v]
  // The motion q(t / scale) uses its limits fully at one time. Every slower motion is within the
  // limits. Infinite if the torque at rest exceeds a limit, and 0 if nothing limits the motion.
  double scale = 0;
  int dof = -1;     // that determines the scale, at the time t of the given motion; -1: none
  double time = 0;  // s
};

// Compares a motion with the limits of the joints at equally spaced samples and on both sides of
// its breaks. Around the largest local maxima of the samples, it refines the samples until these
// maxima are exact to rounding. A peak between two samples that no sample shows is not found.
// Torques are those of MotionTorque. A static friction above the Coulomb friction is not
// considered. Passive joints are not compared, and mimic joints only with their velocity limits. An
// elastic joint is compared at its link, without the inertia and the friction of its motor. The
// velocities at both ends may differ from zero. gravity_W: m/s^2. Throws Error
// - if the motion is one of a frame, has no acceleration or never ends
// - if a velocity jumps within the motion
// - if a friction law is not the sum of a viscous and a Coulomb part
// - if the effort limit of a driven joint, or the velocity limit of a joint that moves, is 0.
TorqueCheck check_torques(const DesiredMotion& trajectory, Solver& solver,
                          const Vec3<double>& gravity_W, int samples);

// Returns an upper bound of the number of times at which check_torques() evaluates the motion.
double check_evaluations(const DesiredMotion& trajectory, int samples);

}  // namespace torsor
