#include "torsor/simulation/mechanism/momentum_rate.hpp"

namespace torsor {

void MomentumRate::add(const State& state, double* out) {
  const Model& model = state.model();
  bodies_[0] = {};
  for (size_t i = 1; i < bodies_.size(); ++i) {
    const Body& parent = bodies_[size_t(model.parent[i])];
    const Pose<double>& X_PB = state.X_PB()[i];
    Twist<double> own{};
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      own = own + state.v[size_t(k)] * model.S_B[size_t(k)];
    Body& body = bodies_[i];
    body.V = inverse_transform(X_PB, parent.V) + own;
    body.A = inverse_transform(X_PB, parent.A) - ad(own, body.V);
    body.H = model.inertia_B[i] * body.V;
    body.F = model.inertia_B[i] * body.A - ad_transpose(body.V, body.H);
  }
  for (size_t i = bodies_.size() - 1; i > 0; --i) {
    const Body& body = bodies_[i];
    const Wrench<double> rate = body.F + ad_transpose(body.V, body.H);
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k)
      out[k] += dot(model.S_B[size_t(k)], rate);
    Body& parent = bodies_[size_t(model.parent[i])];
    parent.H = parent.H + transform(state.X_PB()[i], body.H);
    parent.F = parent.F + transform(state.X_PB()[i], body.F);
  }
}

}  // namespace torsor
