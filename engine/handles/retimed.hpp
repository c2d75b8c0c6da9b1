#pragma once
// A motion along the path of another motion, with its own law of time.

#include "torsor/handles/trajectory.hpp"

namespace torsor {

// A law of time s(t) with constant acceleration in pieces. s is the time of the path's own motion.
//   s = s_0 + s' (t - t_0) + s'' (t - t_0)^2 / 2   from t_0 to the start of the next piece
struct TimePiece {
  double t, s;                // s
  double rate, acceleration;  // s' and s'', 1 and 1/s
};
struct TimeTable {
  std::vector<TimePiece> pieces;
  double duration, end;  // s, of the motion and of its path
  bool starts_at_rest, ends_at_rest;
};

// Returns the motion y(s(t)) along a motion y(s) of the joints. Its breaks are the starts of all
// pieces. Throws Error if the path is a motion of a frame.
std::shared_ptr<const Trajectory> retimed(std::shared_ptr<const Trajectory> path, TimeTable law);

}  // namespace torsor
