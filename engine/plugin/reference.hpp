#pragma once
// What a mechanism is to do at a time: a motion of its joints, or of one frame; the rest is empty.

#include <array>
#include <vector>

#include "torsor/plugin/plugin.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

struct Reference {
  int order = 0;  // the highest derivative: 1 with v or V[0], 2 with vdot or V[1], ...

  // Of the joints: a position [n_q], the velocity and its time derivatives by component [n_v].
  std::vector<double> q, v, vdot, vddot, vdddot;

  // Of a frame F: its pose, (angular velocity of F, velocity of its origin) in the axes of the
  // world, and the time derivatives of that by component. As a twist it is the one about F's
  // origin.
  Pose<double> X_WF = Pose<double>::identity();
  std::array<Twist<double>, TORSOR_MAX_ORDER> V{};

  LentArray<double> y;  // scratch of who gives it
  WorkArea work;
};

}  // namespace torsor
