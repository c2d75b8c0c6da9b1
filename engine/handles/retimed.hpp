#pragma once
// A motion along the path of another motion, with its own law of time.

#include "torsor/handles/trajectory.hpp"

namespace torsor {

// A piece of a law of time s(t), from t_0 to the start of the next piece. s is the time of the
// path's own motion. With sigma = s - s_0 and k the stiffness:
//   sigma'' = u_0 + k sigma,   sigma'^2 = r_0^2 + 2 u_0 sigma + k sigma^2
//   sigma = r_0 S + u_0 (C - 1) / k,   S = sinh(sqrt(k) tau) / sqrt(k),   C = cosh(sqrt(k) tau)
// where tau = t - t_0, and sin and cos replace sinh and cosh if k < 0.
struct TimePiece {
  double t, s;                // t_0 and s_0, s
  double rate, acceleration;  // r_0 and u_0, 1 and 1/s
  double stiffness;           // k, 1/s^2
};
// Returns the time in which a piece covers the length h and reaches the rate r:
//   tau = 2 / sqrt(k) artanh(sqrt(k) h / (r_0 + r))
double time_of(const TimePiece& piece, double h, double rate);

struct TimeTable {
  std::vector<TimePiece> pieces;
  double duration, end;  // s, of the motion and of its path
  bool starts_at_rest, ends_at_rest;
};

// Returns the motion y(s(t)) along a motion y(s) of the joints, with velocity and acceleration. Its
// breaks are the starts of all pieces, where the acceleration may jump. Throws Error if the path is
// a motion of a frame.
std::shared_ptr<const Trajectory> retimed(std::shared_ptr<const Trajectory> path, TimeTable law);

}  // namespace torsor
