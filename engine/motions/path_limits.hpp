#pragma once
// The limits of the joints along a path q(s), as conditions on the law of time s(t).
//
// With V(s) = dq/ds, of which a velocity v of the robot is a multiple, and x = (ds/dt)^2,
// u = d^2s/dt^2:
//   v = V sqrt(x),   vdot = V u + V' x
// V is a vector of velocity coordinates. It therefore moves along the manifold of q, and all kinds
// of joints are possible. The torques are (KHALIL 9.1)
//   tau = m u + c x + d sqrt(x) + g
//   m = M V,   c = M V' + C(q, V) V,   d = F_v V,   g = gravity + spring + F_c sign(V)
// The friction of motors and the mimic joints are included, because MotionTorque is linear in m, c,
// d and g. Limits of a joint with the torque tau, the velocity v and the motor's stall torque are
//   |tau| <= effort,   |tau| <= stall,   |v| <= speed,   sign(v) tau <= stall (1 - |v| / speed)
// The current and the voltage of its amplifier are bounded like the torque (MotionTorque::loads).
// The velocity limits of mimic joints are compared too.

#include <optional>
#include <vector>

#include "torsor/handles/trajectory.hpp"
#include "torsor/motions/motion_torque.hpp"

namespace torsor {

// A condition u_factor u + x_factor x + root_factor sqrt(x) + constant <= 0, divided by a limit of
// the joint of a dof: 1 + its left side is the used fraction of the limit.
struct PathLimit {
  double u_factor, x_factor, root_factor, constant;
  int dof;
};

// Limits at one side of a point of the path. Points of a path have the same limits in the same
// order.
struct PathPoint {
  std::vector<double> V;  // [n_v]
  std::vector<PathLimit> limits;
  double max_rate;  // largest ds/dt within the speed limits; infinite without them
  int max_rate_dof = -1;
};

class PathLimits {
 public:
  // Throws Error in the cases of check_torques().
  PathLimits(const Trajectory& path, Solver& solver, const Vec3<double>& gravity_W);

  // Returns the limits before or after s: derivatives of the path may jump there.
  enum class Side { before, after };
  PathPoint at(double s, Side side);

  // Returns a point in [from, to] at which a joint or a shaft with friction reverses: a point with
  // different directions before and after it. Returns nullopt if none reverses between the ends.
  std::optional<double> reversal(double from, double to);

  // Throws Error if a motor cannot hold its joint at rest at s.
  void require_hold(double s);

 private:
  void evaluate(double s, Side side);
  std::vector<double> rates(double s, Side side);

  const Trajectory& path_;
  const Model& model_;
  MotionTorque torque_;
  Transmissions transmissions_;
  Reference reference_;
  std::vector<double> rest_;  // [n_v] zeros
};

// Returns the largest ds/dt at which an acceleration u within the limits exists: a point of the
// maximum velocity curve. Returns NaN if there is none, and infinity without limits.
double largest_rate(const PathPoint& point);

}  // namespace torsor
