#pragma once
// The desired motion of the joints or of one frame at one time. For a motion of the joints, the
// members of the frame are not used, and vice versa.

#include <array>
#include <vector>

#include "torsor/plugin/plugin.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

struct Reference {
  // Highest derivative of the position: 1 includes v or V[0], 2 includes vdot or V[1], and so on.
  int order = 0;

  // Motion of the joints: position q [n_q], velocity v [n_v] and the componentwise time derivatives
  // of v [n_v].
  std::vector<double> q, v, vdot, vddot, vdddot;

  // Motion of a frame F: its pose and its velocity V[0] = (angular velocity of F, velocity of the
  // origin of F), in world axes. V[k] is the componentwise k-th time derivative of V[0].
  Pose<double> X_WF = Pose<double>::identity();
  std::array<Twist<double>, TORSOR_MAX_ORDER> V{};

  LentArray<double> y;  // scratch memory of the trajectory
  WorkArea work;
};

}  // namespace torsor
