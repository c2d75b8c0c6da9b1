#pragma once
// A cost for motions that bring a frame to a target point and end at rest there, with little
// effort.

#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/planning/cost_sum.hpp"

namespace torsor {

// The weights of the terms of the cost:
//   dt/2 (effort |u|^2 + motion |v|^2 + limits sum_k max(0, |u_k| - limit_k)^2)  for every step
//   1/2 position |p(q) - target|^2 + 1/2 velocity |v|^2                          for the last state
// p is the frame's origin in the world. The second-order model of the position term is of
// Gauss-Newton type (goal_cost.hpp).
struct ReachWeights {
  double position = 1e3;           // 1/m^2
  double velocity = 10;            // s^2/rad^2
  double effort = 1e-2;            // 1/((N m)^2 s)
  double motion = 1e-2;            // s/rad^2
  double limits = 100;             // 1/((N m)^2 s); weight of the excess over `limit`
  std::vector<double> limit = {};  // [n_v] N m, infinite: no limit; empty: no limits at all
};

// Returns the sum of these terms. Its error is |p - target|, m.
CostSum reach_cost(const std::shared_ptr<const Model>& model, const Frame& frame,
                   const Vec3<double>& target_W, const ReachWeights& weights, double dt);

}  // namespace torsor
