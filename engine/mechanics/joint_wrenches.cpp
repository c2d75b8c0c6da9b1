#include "torsor/mechanics/joint_wrenches.hpp"

namespace torsor {

// The equations of Newton and Euler for each body, in its axes about its origin (KHALIL 7.58-7.60,
// MR 9.54-9.56). The acceleration of the world includes -g. The sum in the last equation is over
// the child bodies C of body i:
//   V_i    = Ad(X_PB)^-1 V_P + S v
//   Vdot_i = Ad(X_PB)^-1 Vdot_P + S vdot - ad(S v) V_i
//   W_i    = I Vdot_i - ad(V_i)^T I V_i - F_i + sum Ad(X_BC)^T W_C
// Equations: KHALIL 7.45, 7.46, 7.48, 7.49, 7.69; MR 9.32, 9.33, 9.42, 9.74, 9.79.
std::vector<Wrench<double>> joint_wrenches(const State& state, std::span<const double> vdot) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_body);
  std::vector<Wrench<double>> W(n, Wrench<double>{});
  std::vector<Twist<double>> V(n), A(n);
  V[0] = state.V_W();
  A[0] = state.Vdot_W() - Twist<double>{{0, 0, 0}, state.gravity_W()};
  for (size_t i = 1; i < n; ++i) {
    const size_t parent = size_t(model.parent[i]);
    const Pose<double>& X_PB = state.X_PB()[i];
    Twist<double> own{}, own_rate{};
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      own = own + state.v[size_t(k)] * model.S_B[size_t(k)];
      own_rate = own_rate + vdot[size_t(k)] * model.S_B[size_t(k)];
    }
    V[i] = inverse_transform(X_PB, V[parent]) + own;
    A[i] = inverse_transform(X_PB, A[parent]) + own_rate - ad(own, V[i]);
    const SpatialInertia<double>& I = model.inertia_B[i];
    W[i] = I * A[i] - ad_transpose(V[i], I * V[i]) - state.F_B()[i];
  }
  for (size_t i = n - 1; i > 0; --i) {
    Wrench<double>& carrier = W[size_t(model.parent[i])];
    carrier = carrier + transform(state.X_PB()[i], W[i]);
  }
  return W;
}

Wrench<double> at_link(const State& state, const Joint& joint, std::span<const Wrench<double>> W_B,
                       Axes axes) {
  const Model& model = state.model();
  const Frame& frame = model.frames[size_t(model.links[size_t(model.child_link(joint))].frame)];
  const Wrench<double> W = inverse_transform(frame.X_BF, W_B[size_t(joint.body)]);
  if (axes == Axes::frame) return W;
  const Mat3<double> R_WF = frame_pose(state, frame).R;
  return {R_WF * W.n, R_WF * W.f};
}

}  // namespace torsor
