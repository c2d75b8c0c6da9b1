#include "torsor/mechanics/joint_screws.hpp"

namespace torsor {

void joint_screws(const State& state, std::span<Pose<double>> X_WB, std::span<Twist<double>> S_W) {
  const Model& model = state.model();
  const Pose<double>* X_PB = state.X_PB().data();
  X_WB[0] = Pose<double>::identity();
  for (size_t i = 1; i < size_t(model.n_body); ++i) {
    X_WB[i] = X_WB[size_t(model.parent[i])] * X_PB[i];
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      S_W[size_t(k)] = transform(X_WB[i], model.S_B[size_t(k)]);
  }
}

// S_B is constant, and d/dt Ad(X_WB) = ad(V_WB_W) Ad(X_WB):
//   Sdot_W = ad(V_WB_W) S_W
void joint_screw_rates(const State& state, std::span<const Twist<double>> S_W,
                       std::span<Twist<double>> V_WB_W, std::span<Twist<double>> Sdot_W) {
  const Model& model = state.model();
  V_WB_W[0] = {};
  for (size_t i = 1; i < size_t(model.n_body); ++i) {
    const size_t first = size_t(model.v_index[i]), end = first + size_t(model.v_count[i]);
    Twist<double> V = V_WB_W[size_t(model.parent[i])];
    for (size_t k = first; k < end; ++k) V = V + state.v[k] * S_W[k];
    for (size_t k = first; k < end; ++k) Sdot_W[k] = ad(V, S_W[k]);
    V_WB_W[i] = V;
  }
}

}  // namespace torsor
