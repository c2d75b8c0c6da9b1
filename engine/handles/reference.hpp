#pragma once
// The desired motion at one time, of the joints or of one frame. The members of the other kind are
// empty.

#include <array>
#include <vector>

#include "torsor/plugin/plugin.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

struct Reference {
  int order = 0;  // the highest derivative: 1 with v or V[0], 2 with vdot or V[1], ...

  // Motion of the joints: position [n_q], then the velocity and its time derivatives by component
  // [n_v].
  std::vector<double> q, v, vdot, vddot, vdddot;

  // Motion of a frame F: its pose, then V[0] = (angular velocity of F, velocity of its origin) in
  // the axes of the world. V[k] is the k-th time derivative of V[0] by component. V[0] is a twist
  // about the origin of F.
  Pose<double> X_WF = Pose<double>::identity();
  std::array<Twist<double>, TORSOR_MAX_ORDER> V{};

  LentArray<double> y;  // scratch of the trajectory that computes it
  WorkArea work;
};

}  // namespace torsor
