#pragma once
// The fastest motion along a given path within the torque and velocity limits of the joints.

#include <functional>
#include <memory>
#include <optional>

#include "torsor/handles/solver.hpp"
#include "torsor/handles/trajectory.hpp"

namespace torsor {

struct TimeOptimalOptions {
  int points = 1000;  // number of intervals of the path; each break of the path is an end of one
  // ds/dt at both ends, where s is the time of the path's own motion; empty: the robot is at rest.
  std::optional<double> start_rate = std::nullopt, end_rate = std::nullopt;
  // Called before each iteration. It may throw, to end the computation.
  std::function<void()> working = [] {};
};

// A point of the phase plane (s, ds/dt).
struct PhasePoint {
  double s, rate;
  // The maximum velocity curve. No acceleration at s meets the limits at a higher rate. Infinite
  // without limits.
  double max_rate;
  double time;  // s, after the start of the motion
  int dof;      // whose limits are used most after this point
};

struct TimeOptimal {
  std::shared_ptr<const Trajectory> motion;  // along the same path
  // The ends of all intervals. Where the robot rests between two parts of the path, two points have
  // the same s.
  std::vector<PhasePoint> phase;
};

// Computes the motion q(s(t)) along the path of a motion q(s) of the joints. The law of time is
// that of reachable.hpp. The robot rests at corners of the path. It is also at rest where dq/ds is
// zero. Torques and limits are those of check_torques().
// gravity_W: m/s^2. Throws Error in the cases of check_torques(), and
// - if the path has no length, or a rate is negative
// - if no motion within the limits exists, or nothing limits the motion
// - if a motor cannot hold its joint at an end where the robot rests.
TimeOptimal time_optimal(const std::shared_ptr<const Trajectory>& path, Solver& solver,
                         const Vec3<double>& gravity_W, const TimeOptimalOptions& options);

}  // namespace torsor
