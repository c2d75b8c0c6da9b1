#pragma once

#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::test {

// Returns the pose of a named frame in the world at q [n_q].
inline Pose<double> world_pose(const Model& model, const std::vector<double>& q,
                               const char* frame_name) {
  std::vector<double> scratch(pose_scratch(model));
  std::vector<Pose<double>> X_PB(static_cast<size_t>(model.n_body));
  evaluate_poses(model, q.data(), scratch.data(), X_PB.data());
  const Frame& frame = model.frames[size_t(model.frame(frame_name))];
  Pose<double> X_WF = frame.X_BF;
  for (int body = frame.body; body > 0; body = model.parent[size_t(body)])
    X_WF = X_PB[size_t(body)] * X_WF;
  return X_WF;
}

}  // namespace torsor::test
