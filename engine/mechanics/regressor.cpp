#include "torsor/mechanics/regressor.hpp"

#include <algorithm>

namespace torsor {

size_t regressor_scratch(const Model& model) {
  return 5 * size_t(model.n_body) + size_t(model.n_v);
}

namespace {

constexpr int n_forceful = 4;  // m and m c; the inertia about the origin requires no force

// The wrench that a body requires is the product of these matrices and its inertial parameters. A
// row has one entry for each parameter, so that all parameters are computed in vectors.
struct BodyRegressor {
  double moment[3][n_inertial], force[3][n_forceful];
};

// A body of inertia I requires W = I A + I ad_V V_r - ad_V^T I V_r. Its components, with
// A + ad_V V_r = (alpha, a), V = (w, v), V_r = (w_r, v_r), the first moment h and the inertia J
// about the origin, are
//   moment = m v x v_r + h x a + w x (h x v_r) - v x (h x w_r) + J alpha + w x (J w_r)
//   force  = m (a + w x v_r) - h x alpha - w x (h x w_r)
// The factors of h are matrices. With x~ y~ = y x^T - (x . y) 1:
//   moment: -a~ - v_r w^T + w_r v^T + (w . v_r - v . w_r) 1
//   force:  alpha~ + w_r w^T - (w . w_r) 1
BodyRegressor body_regressor(const Twist<double>& V, const Twist<double>& V_r,
                             const Twist<double>& B) {
  const auto& [w, v] = V;
  const auto& [p, u] = V_r;  // w_r, v_r
  const auto& [b, a] = B;    // alpha, a
  const Vec3<double> n = cross(v, u), f = a + cross(w, u);
  const double d = dot(w, u) - dot(v, p), e = dot(w, p);
  return {.moment = {{n.x, p.x * v.x - u.x * w.x + d, a.z + p.x * v.y - u.x * w.y,
                      p.x * v.z - u.x * w.z - a.y, b.x, -w.z * p.y, w.y * p.z, b.y - w.z * p.x,
                      b.z + w.y * p.x, w.y * p.y - w.z * p.z},
                     {n.y, p.y * v.x - u.y * w.x - a.z, p.y * v.y - u.y * w.y + d,
                      a.x + p.y * v.z - u.y * w.z, w.z * p.x, b.y, -w.x * p.z, b.x + w.z * p.y,
                      w.z * p.z - w.x * p.x, b.z - w.x * p.y},
                     {n.z, a.y + p.z * v.x - u.z * w.x, p.z * v.y - u.z * w.y - a.x,
                      p.z * v.z - u.z * w.z + d, -w.y * p.x, w.x * p.y, b.z, w.x * p.x - w.y * p.y,
                      b.x - w.y * p.z, b.y + w.x * p.z}},
          .force = {{f.x, p.x * w.x - e, p.x * w.y - b.z, b.y + p.x * w.z},
                    {f.y, b.z + p.y * w.x, p.y * w.y - e, p.y * w.z - b.x},
                    {f.z, p.z * w.x - b.y, b.x + p.z * w.y, p.z * w.z - e}}};
}

// Returns the same matrices for the wrench about the origin of A, in its axes. X is X_AB.
BodyRegressor transform(const Pose<double>& X, const BodyRegressor& body) {
  const Mat3<double>& R = X.R;
  BodyRegressor out;
  for (int r = 0; r < 3; ++r) {
    for (int k = 0; k < n_inertial; ++k)
      out.moment[r][k] =
          R(r, 0) * body.moment[0][k] + R(r, 1) * body.moment[1][k] + R(r, 2) * body.moment[2][k];
    for (int k = 0; k < n_forceful; ++k)
      out.force[r][k] =
          R(r, 0) * body.force[0][k] + R(r, 1) * body.force[1][k] + R(r, 2) * body.force[2][k];
  }
  const auto& [x, y, z] = X.p;
  for (int k = 0; k < n_forceful; ++k) {
    out.moment[0][k] += y * out.force[2][k] - z * out.force[1][k];
    out.moment[1][k] += z * out.force[0][k] - x * out.force[2][k];
    out.moment[2][k] += x * out.force[1][k] - y * out.force[0][k];
  }
  return out;
}

// Writes S . W of all parameters.
void project(const Twist<double>& S, const BodyRegressor& body, double* out) {
  for (int k = 0; k < n_inertial; ++k)
    out[k] = S.w.x * body.moment[0][k] + S.w.y * body.moment[1][k] + S.w.z * body.moment[2][k];
  for (int k = 0; k < n_forceful; ++k)
    out[k] += S.v.x * body.force[0][k] + S.v.y * body.force[1][k] + S.v.z * body.force[2][k];
}

// The poses of bodies are stored in the scratch memory as two twists: the rows of R, and p.
void store(const Pose<double>& X, Twist<double>* out) {
  const double* r = X.R.m;
  out[0] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
  out[1] = {{r[6], r[7], r[8]}, X.p};
}
Pose<double> load(const Twist<double>* in) {
  const Vec3<double>&a = in[0].w, &b = in[0].v, &c = in[1].w;
  return {{{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}}, in[1].v};
}

}  // namespace

// Recursion from the root, with V = J v, V_r = J v_r and A = J a_r + Jdot v_r - (0, g):
//   V_r  = Ad(X_PB)^-1 V_r,P + S v_r
//   A    = Ad(X_PB)^-1 A_P + S a_r - ad_(S v) Ad(X_PB)^-1 V_r,P
// A body of inertia I requires the wrench W. MK writes it as M_b Jdot + (M_b b - b^T M_b) J with b
// = ad_V:
//   W = I A + I ad_V V_r - ad_V^T I V_r
// W is linear in I and contributes S . W to each joint on the path to the world. S and W are moved
// once and not along each path: to the axes of the world, about the origin of the root body of
// their tree. A root is a body attached to the world. Its distance from the world's origin, to
// which no joint refers, then costs no digits. Equations: MR 9.47, 9.58.
void regressor(const State& state, const double* v_r, const double* a_r,
               std::span<Twist<double>> scratch, double* Y) {
  const Model& model = state.model();
  const size_t n = size_t(model.n_body), row = n_inertial * n;
  const auto V = scratch.first(n), V_r = scratch.subspan(n, n), A = scratch.subspan(2 * n, n),
             poses = scratch.subspan(3 * n, 2 * n), S_A = scratch.subspan(5 * n);
  std::fill_n(Y, size_t(model.n_v) * row, 0.0);
  V[0] = state.V_W();
  V_r[0] = state.V_W();
  A[0] = state.Vdot_W() - Twist<double>{{0, 0, 0}, state.gravity_W()};
  store(Pose<double>::identity(), &poses[0]);
  for (size_t i = 1; i < n; ++i) {
    const size_t parent = size_t(model.parent[i]);
    const Pose<double>& X_PB = state.X_PB()[i];
    Pose<double> X_AB = load(&poses[2 * parent]) * X_PB;
    if (parent == 0) X_AB.p = {0, 0, 0};
    store(X_AB, &poses[2 * i]);
    Twist<double> own{}, own_r{}, own_a{};
    for (int k = model.v_index[i]; k < model.v_index[i] + model.v_count[i]; ++k) {
      const Twist<double>& S = model.S_B[size_t(k)];
      own = own + state.v[size_t(k)] * S;
      own_r = own_r + v_r[k] * S;
      own_a = own_a + a_r[k] * S;
      S_A[size_t(k)] = transform(X_AB, S);
    }
    const Twist<double> carried = inverse_transform(X_PB, V_r[parent]);
    V[i] = inverse_transform(X_PB, V[parent]) + own;
    V_r[i] = carried + own_r;
    A[i] = inverse_transform(X_PB, A[parent]) + own_a - ad(own, carried);
    const BodyRegressor body =
        transform(X_AB, body_regressor(V[i], V_r[i], A[i] + ad(V[i], V_r[i])));
    for (size_t b = i; b > 0; b = size_t(model.parent[b]))
      for (int k = model.v_index[b]; k < model.v_index[b] + model.v_count[b]; ++k)
        project(S_A[size_t(k)], body, Y + size_t(k) * row + n_inertial * i);
  }
}

}  // namespace torsor
