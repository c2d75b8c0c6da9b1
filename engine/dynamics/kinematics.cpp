#include "torsor/dynamics/kinematics.hpp"

namespace torsor {

std::vector<Pose<double>> world_poses(const State& state) {
  std::vector<Pose<double>> X_WB(size_t(state.model().n_body));
  world_poses(state, X_WB);
  return X_WB;
}
void world_poses(const State& state, std::span<Pose<double>> X_WB) {
  const Model& model = state.model();
  X_WB[0] = Pose<double>::identity();
  for (int i = 1; i < model.n_body; ++i) X_WB[i] = X_WB[model.parent[i]] * state.X_PB()[i];
}

Pose<double> frame_pose(const State& state, const Frame& frame) {
  Pose<double> X = frame.X_BF;
  for (int i = frame.body; i > 0; i = state.model().parent[i]) X = state.X_PB()[i] * X;
  return X;
}

// V_WB = Ad(X_PB)^-1 V_WP + S v   (MR 9.53, MK 19)
void body_twists(const State& state, std::span<Twist<double>> V) {
  const Model& model = state.model();
  V[0] = {};
  for (int i = 1; i < model.n_body; ++i) {
    V[i] = inverse_transform(state.X_PB()[i], V[model.parent[i]]);
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      V[i] = V[i] + state.v[k] * model.S_B[k];
  }
}

Twist<double> frame_twist(const State& state, const Frame& frame) {
  std::vector<Twist<double>> V(state.model().n_body);
  body_twists(state, V);
  return inverse_transform(frame.X_BF, V[frame.body]);
}

// Column of a joint on the way to the world: Ad(X_BF)^-1 S_B, with X_BF from the joint's body to the frame
// (MK 19).
Eigen::MatrixXd frame_jacobian(const State& state, const Frame& frame) {
  const Model& model = state.model();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, model.n_v);
  Pose<double> X_BF = frame.X_BF;
  for (int i = frame.body; i > 0; i = model.parent[i]) {
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const Twist<double> S = inverse_transform(X_BF, model.S_B[k]);
      J.col(k) << S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z;
    }
    X_BF = state.X_PB()[i] * X_BF;
  }
  return J;
}

double kinetic_energy(const State& state) {
  const Model& model = state.model();
  std::vector<Twist<double>> V(model.n_body);
  body_twists(state, V);
  double energy = 0;
  for (int i = 1; i < model.n_body; ++i) energy += 0.5 * dot(V[i], model.inertia_B[i] * V[i]);
  for (int k = 0; k < model.n_v; ++k) energy += 0.5 * model.armature[k] * state.v[k] * state.v[k];
  return energy;
}

double potential_energy(const State& state) {
  const Model& model = state.model();
  const std::vector<Pose<double>> X_WB = world_poses(state);
  double energy = 0;
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<double>& M = model.inertia_B[i];
    energy -= dot(state.gravity_W(), M.m * X_WB[i].p + X_WB[i].R * M.h);
  }
  return energy;
}

}  // namespace torsor
