#include "torsor/mechanics/regressor.hpp"

#include <algorithm>

namespace torsor {

size_t regressor_scratch(const Model& model) {
  return 3 * size_t(model.n_body);
}

// Recursion from the root, with V = J v, V_r = J v_r and A = J a_r + Jdot v_r - (0, g):
//   V_r  = Ad(X_PB)^-1 V_r,P + S v_r
//   A    = Ad(X_PB)^-1 A_P + S a_r - ad_(S v) Ad(X_PB)^-1 V_r,P
// A body of inertia I requires the wrench W. MK writes it as M_b Jdot + (M_b b - b^T M_b) J with b
// = ad_V:
//   W = I A + I ad_V V_r - ad_V^T I V_r
// W is linear in I and contributes S . W to each joint on the path to the world.
// Equations: MR 9.47, 9.58.
void regressor(const State& state, const double* v_r, const double* a_r,
               std::span<Twist<double>> scratch, double* Y) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_body), row = n_inertial * n;
  const auto V = scratch.first(n), V_r = scratch.subspan(n, n), A = scratch.subspan(2 * n, n);
  std::fill_n(Y, size_t(model.n_v) * row, 0.0);
  V[0] = state.V_W();
  V_r[0] = state.V_W();
  A[0] = state.Vdot_W() - Twist<double>{{0, 0, 0}, state.gravity_W()};
  for (size_t i = 1; i < n; ++i) {
    const size_t parent = size_t(model.parent[i]);
    const Pose<double>& X_PB = state.X_PB()[i];
    Twist<double> own{}, own_r{}, own_a{};
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      own = own + state.v[size_t(k)] * model.S_B[size_t(k)];
      own_r = own_r + v_r[k] * model.S_B[size_t(k)];
      own_a = own_a + a_r[k] * model.S_B[size_t(k)];
    }
    const Twist<double> carried = inverse_transform(X_PB, V_r[parent]);
    V[i] = inverse_transform(X_PB, V[parent]) + own;
    V_r[i] = carried + own_r;
    A[i] = inverse_transform(X_PB, A[parent]) + own_a - ad(own, carried);
    for (int p = 0; p < n_inertial; ++p) {
      const SpatialInertia<double> I = unit_inertia(p);
      Wrench<double> W = I * (A[i] + ad(V[i], V_r[i])) - ad_transpose(V[i], I * V_r[i]);
      for (size_t b = i; b > 0; b = size_t(model.parent[b])) {
        for (int k = model.v_index[b]; k < model.v_index[b] + model.v_count[b]; ++k)
          Y[size_t(k) * row + n_inertial * i + size_t(p)] = dot(model.S_B[size_t(k)], W);
        W = transform(state.X_PB()[b], W);
      }
    }
  }
}

}  // namespace torsor
