#include "torsor/mechanics/regressor.hpp"

#include <algorithm>

namespace torsor {

size_t regressor_scratch(const Model& model) {
  return 5 * size_t(model.n_body) + size_t(model.n_v);
}

namespace {

constexpr int n_forceful = 4;  // m and m c; the inertia about the origin requires no force

// The wrench that a body requires is the product of these matrices and its inertial parameters. A
// row has one entry for each parameter, so that all parameters of one state are computed in
// vectors.
template <class T>
struct BodyRegressor {
  T moment[3][n_inertial], force[3][n_forceful];
};

// A body of inertia I requires W = I A + I ad_V V_r - ad_V^T I V_r. Its components, with
// A + ad_V V_r = (alpha, a), V = (w, v), V_r = (w_r, v_r), the first moment h and the inertia J
// about the origin, are
//   moment = m v x v_r + h x a + w x (h x v_r) - v x (h x w_r) + J alpha + w x (J w_r)
//   force  = m (a + w x v_r) - h x alpha - w x (h x w_r)
// The factors of h are matrices. With x~ y~ = y x^T - (x . y) 1:
//   moment: -a~ - v_r w^T + w_r v^T + (w . v_r - v . w_r) 1
//   force:  alpha~ + w_r w^T - (w . w_r) 1
template <class T>
BodyRegressor<T> body_regressor(const Twist<T>& V, const Twist<T>& V_r, const Twist<T>& B) {
  const auto& [w, v] = V;
  const auto& [p, u] = V_r;  // w_r, v_r
  const auto& [b, a] = B;    // alpha, a
  const Vec3<T> n = cross(v, u), f = a + cross(w, u);
  const T d = dot(w, u) - dot(v, p), e = dot(w, p);
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
template <class T>
BodyRegressor<T> transform(const Pose<T>& X, const BodyRegressor<T>& body) {
  const Mat3<T>& R = X.R;
  BodyRegressor<T> out;
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
    const T f0 = out.force[0][k], f1 = out.force[1][k], f2 = out.force[2][k];
    out.moment[0][k] = out.moment[0][k] + (y * f2 - z * f1);
    out.moment[1][k] = out.moment[1][k] + (z * f0 - x * f2);
    out.moment[2][k] = out.moment[2][k] + (x * f1 - y * f0);
  }
  return out;
}

// Writes S . W of all parameters.
template <class T>
void project(const Twist<T>& S, const BodyRegressor<T>& body, T* out) {
  for (int k = 0; k < n_inertial; ++k)
    out[k] = S.w.x * body.moment[0][k] + S.w.y * body.moment[1][k] + S.w.z * body.moment[2][k];
  for (int k = 0; k < n_forceful; ++k)
    out[k] =
        out[k] + (S.v.x * body.force[0][k] + S.v.y * body.force[1][k] + S.v.z * body.force[2][k]);
}

// The poses of bodies are stored in the scratch memory as two twists: the rows of R, and p.
template <class T>
void store(const Pose<T>& X, Twist<T>* out) {
  const T* r = X.R.m;
  out[0] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
  out[1] = {{r[6], r[7], r[8]}, X.p};
}
template <class T>
Pose<T> load(const Twist<T>* in) {
  const Vec3<T>&a = in[0].w, &b = in[0].v, &c = in[1].w;
  return {{{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z}}, in[1].v};
}

// Convert constants of the model to the scalar of the kernel.
template <class T>
Vec3<T> constant(const Vec3<double>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
Twist<T> constant(const Twist<double>& S) {
  return {constant<T>(S.w), constant<T>(S.v)};
}
template <class T>
Pose<T> constant(const Pose<double>& X) {
  Pose<T> out;
  for (int k = 0; k < 9; ++k) out.R.m[k] = T(X.R.m[k]);
  out.p = constant<T>(X.p);
  return out;
}

}  // namespace

template <class T>
RegressorKernel<T>::RegressorKernel(const Model& model, std::span<Twist<T>> scratch)
    : model_(model) {
  const size_t n = size_t(model.n_body);
  V_ = scratch.first(n);
  V_r_ = scratch.subspan(n, n);
  A_ = scratch.subspan(2 * n, n);
  poses_ = scratch.subspan(3 * n, 2 * n);
  S_A_ = scratch.subspan(5 * n);
}

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
template <class T>
void RegressorKernel<T>::evaluate_motion(const RegressorState<T>& at) {
  V_[0] = at.V_W;
  V_r_[0] = at.V_W;
  A_[0] = at.A_W;
  store(Pose<T>::identity(), &poses_[0]);
  for (size_t i = 1; i < V_.size(); ++i) {
    const size_t parent = size_t(model_.parent[i]);
    const Pose<T>& X_PB = at.X_PB[i];
    Pose<T> X_AB = load(&poses_[2 * parent]) * X_PB;
    if (parent == 0) X_AB.p = {T(0), T(0), T(0)};
    store(X_AB, &poses_[2 * i]);
    Twist<T> own{}, own_r{}, own_a{};
    for (int k = model_.v_index[i]; k < model_.v_index[i] + model_.v_count[i]; ++k) {
      const Twist<T> S = constant<T>(model_.S_B[size_t(k)]);
      own = own + at.v[k] * S;
      own_r = own_r + at.v_r[k] * S;
      own_a = own_a + at.a_r[k] * S;
      S_A_[size_t(k)] = transform(X_AB, S);
    }
    const Twist<T> carried = inverse_transform(X_PB, V_r_[parent]);
    V_[i] = inverse_transform(X_PB, V_[parent]) + own;
    V_r_[i] = carried + own_r;
    A_[i] = inverse_transform(X_PB, A_[parent]) + own_a - ad(own, carried);
  }
}

template <class T>
void RegressorKernel<T>::write(size_t body, const Pose<T>& X_AF, const Twist<T>& V,
                               const Twist<T>& V_r, const Twist<T>& A, T* Y, size_t row) const {
  const BodyRegressor<T> W = transform(X_AF, body_regressor(V, V_r, A + ad(V, V_r)));
  for (size_t b = body; b > 0; b = size_t(model_.parent[b]))
    for (int k = model_.v_index[b]; k < model_.v_index[b] + model_.v_count[b]; ++k)
      project(S_A_[size_t(k)], W, Y + size_t(k) * row);
}

template <class T>
void RegressorKernel<T>::write_columns(int body, T* Y, size_t row) const {
  const size_t i = size_t(body);
  write(i, load(&poses_[2 * i]), V_[i], V_r_[i], A_[i], Y, row);
}

template <class T>
void RegressorKernel<T>::write_columns(int body, const Pose<double>& X_BF, T* Y, size_t row) const {
  const size_t i = size_t(body);
  const Pose<T> X = constant<T>(X_BF);
  write(i, load(&poses_[2 * i]) * X, inverse_transform(X, V_[i]), inverse_transform(X, V_r_[i]),
        inverse_transform(X, A_[i]), Y, row);
}

template class RegressorKernel<double>;
template class RegressorKernel<Pack<native_lanes>>;

void regressor(const State& state, const double* v_r, const double* a_r,
               std::span<Twist<double>> scratch, double* Y) {
  const Model& model = state.model();
  const size_t row = n_inertial * size_t(model.n_body);
  std::fill_n(Y, size_t(model.n_v) * row, 0.0);
  RegressorKernel<double> kernel(model, scratch);
  kernel.evaluate_motion(regressor_state(state, v_r, a_r));
  for (int i = 1; i < model.n_body; ++i) kernel.write_columns(i, Y + n_inertial * size_t(i), row);
}

}  // namespace torsor
