#include "torsor/mechanics/tracking.hpp"

namespace torsor {

namespace {

// Returns the sum of S x over the dof of a body's joint. x: [n_v].
Twist<double> along(const Model& model, int body, const double* x) {
  Twist<double> V{};
  for (int k = model.v_index[size_t(body)];
       k < model.v_index[size_t(body)] + model.v_count[size_t(body)]; ++k)
    V = V + x[k] * model.S_B[size_t(k)];
  return V;
}

// Writes the components of a twist along the joint's screws to the joint's entries of x [n_v]. The
// screws must be unit axes, as those of joints with several dof are.
void put(const Model& model, int body, const Twist<double>& V, double* x) {
  for (int k = model.v_index[size_t(body)];
       k < model.v_index[size_t(body)] + model.v_count[size_t(body)]; ++k) {
    const Twist<double>& S = model.S_B[size_t(k)];
    x[k] = dot(S.w, V.w) + dot(S.v, V.v);
  }
}

}  // namespace

void track(const State& at, const State& desired, const double* vdot_d, Tracking& out) {
  const Model& model = at.model();
  const size_t n = size_t(model.n_v);
  out.e.resize(n);
  difference(model, at.q().data(), desired.q().data(), out.e.data());
  out.v_r.assign(desired.v.begin(), desired.v.end());
  out.a_r.assign(vdot_d, vdot_d + n);
  for (const MappedBody& mapped : model.mapped) {
    const int body = mapped.body;
    const Pose<double> X_e = inverse(at.X_PB()[size_t(body)]) * desired.X_PB()[size_t(body)];
    const Twist<double> V = along(model, body, at.v.data()),
                        V_r = transform(X_e, along(model, body, desired.v.data())),
                        A_r = transform(X_e, along(model, body, vdot_d)) - ad(V, V_r);
    put(model, body, V_r, out.v_r.data());
    put(model, body, A_r, out.a_r.data());
  }
}

}  // namespace torsor
