#pragma once
// Featherstone's articulated-body recursions over a tree, templated on the scalar.
//
// Notation as KHALIL 7.6.2: body i in its parent p at pose X_PB = (R, r); S its joint screws; w its angular velocity;
// s = S v = (sw, sv); w0 = R^T w_p. Accelerations are those of the body origin, Vdot = (wd, a), so that
//
//   Vdot_i = Ad(X_PB)^-1 Vdot_p + S vdot + gamma                                     KHALIL 7.67
//   gamma  = (w0 x sw,  R^T (w_p x (w_p x r)) + 2 w0 x sv + sw x sv)                 KHALIL 7.68
//   F_i    = M_i Vdot_i + beta + sum over children                                   KHALIL 7.69
//   beta   = (w x (I w), w x (w x h)) - F_ext                                        KHALIL 7.70, opposite sign
//
// From the leaves: what joint i carries answers with F = P Vdot + b, its articulated inertia P and bias b. The joint's
// columns are eliminated one after another (a joint with several is as many joints with nothing between them):
//
//   U = P S,  d = S . U + armature,  u = tau - S . b                                 KHALIL 7.71
//   P <- P - U U^T / d,   b <- b + U u / d                                           KHALIL 7.72-7.73
//   b <- b + P gamma, then both are added to the parent by the congruence with Ad(X_BP)   KHALIL 7.74-7.75
//
// From the world: column by column, the last first,
//
//   Vdot = Ad(X_PB)^-1 Vdot_p + gamma                                                KHALIL 7.76
//   vdot = (u - U . Vdot) / d,   Vdot <- Vdot + S vdot                               KHALIL 7.77-7.78
//
// Where vdot is prescribed nothing is eliminated: P is the composite inertia, and tau = S . (P Vdot + b) is inverse
// dynamics.

#include <algorithm>

#include "torsor/sdk/model_view.hpp"

namespace torsor::articulated_body {

using sdk::columns_end, sdk::inertia, sdk::joint_twist, sdk::screw;

// A symmetric 6x6 matrix [A B; B^T D] that takes twists to wrenches: 21 numbers.
template <class T>
struct ArticulatedInertia {
  Sym3<T> A;
  Mat3<T> B;
  Sym3<T> D;
};
template <class T>
Wrench<T> operator*(const ArticulatedInertia<T>& P, const Twist<T>& V) {
  return {P.A * V.w + P.B * V.v, transpose_times(P.B, V.w) + P.D * V.v};
}
template <class T>
ArticulatedInertia<T> rigid(const torsor_model& model, int body) {
  const SpatialInertia<T> M = inertia<T>(model, body);
  return {M.I, hat(M.h), {M.m, M.m, M.m, T(0), T(0), T(0)}};
}
// s u u^T
template <class T>
Sym3<T> outer(const T& s, const Vec3<T>& u) {
  const Vec3<T> a = s * u;
  return {a.x * u.x, a.y * u.y, a.z * u.z, a.x * u.y, a.x * u.z, a.y * u.z};
}
// P - s U U^T
template <class T>
ArticulatedInertia<T> subtract_outer(const ArticulatedInertia<T>& P, const T& s, const Wrench<T>& U) {
  ArticulatedInertia<T> Q{P.A - outer(s, U.n), P.B, P.D - outer(s, U.f)};
  const T n[3] = {s * U.n.x, s * U.n.y, s * U.n.z}, f[3] = {U.f.x, U.f.y, U.f.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q.B(i, j) = Q.B(i, j) - n[i] * f[j];
  return Q;
}
// parent += Ad(X_BA)^T P Ad(X_BA) for X_AB = (R, p): rotate to (A, B, D), then with C = B + p~ D,
//   D_A = D,  B_A = C,  A_A = A + p~ B^T + (p~ C^T)^T   (symmetric: p~ B^T - C p~)
template <class T>
void add_transformed(const Pose<T>& X_AB, const ArticulatedInertia<T>& P, ArticulatedInertia<T>& parent) {
  const Sym3<T> A = rotate(X_AB.R, P.A), D = rotate(X_AB.R, P.D);
  const Mat3<T> B = X_AB.R * P.B * transpose(X_AB.R);
  const T x = X_AB.p.x, y = X_AB.p.y, z = X_AB.p.z;
  const Mat3<T> C{{B.m[0] - z * D.xy + y * D.xz, B.m[1] - z * D.yy + y * D.yz, B.m[2] - z * D.yz + y * D.zz,
                   B.m[3] + z * D.xx - x * D.xz, B.m[4] + z * D.xy - x * D.yz, B.m[5] + z * D.xz - x * D.zz,
                   B.m[6] - y * D.xx + x * D.xy, B.m[7] - y * D.xy + x * D.yy, B.m[8] - y * D.xz + x * D.yz}};
  // (p~ W^T)_ij = (p x row j of W)_i
  const auto moment = [&](const Mat3<T>& W, int i, int j) {
    const T* w = W.m + 3 * j;
    return i == 0 ? y * w[2] - z * w[1] : i == 1 ? z * w[0] - x * w[2] : x * w[1] - y * w[0];
  };
  const Sym3<T> shift{moment(B, 0, 0) + moment(C, 0, 0), moment(B, 1, 1) + moment(C, 1, 1),
                      moment(B, 2, 2) + moment(C, 2, 2), moment(B, 0, 1) + moment(C, 1, 0),
                      moment(B, 0, 2) + moment(C, 2, 0), moment(B, 1, 2) + moment(C, 2, 1)};
  parent.A = parent.A + A + shift;
  parent.B = parent.B + C;
  parent.D = parent.D + D;
}

template <class T>
struct ArticulatedBody {
  Vec3<T> w;
  Twist<T> gamma;
  ArticulatedInertia<T> P;
  Wrench<T> b;
  Twist<T> Vdot;
};
template <class T>
struct Column {
  Wrench<T> U;
  T d, d_inverse, u;
};

// w, gamma, P = M and b = beta of every body.
template <class T>
void start(const torsor_model& model, const Pose<T>* X_PB, const T* v, const Twist<T>& V_W,
           const Wrench<T>* F_B, ArticulatedBody<T>* body) {
  body[0] = {V_W.w, {}, {}, {}, {}};
  for (int i = 1; i < model.n_body; ++i) {
    const Pose<T>& X = X_PB[i];
    const Vec3<T> w_p = body[model.parent[i]].w, w0 = transpose_times(X.R, w_p);
    const Twist<T> s = joint_twist(model, i, v);
    ArticulatedBody<T>& it = body[i];
    it.w = w0 + s.w;
    it.gamma = {cross(w0, s.w),
                transpose_times(X.R, cross(w_p, cross(w_p, X.p))) + T(2) * cross(w0, s.v) + cross(s.w, s.v)};
    it.P = rigid<T>(model, i);
    const SpatialInertia<T> M = inertia<T>(model, i);
    it.b = {cross(it.w, M.I * it.w), cross(it.w, cross(it.w, M.h))};
    if (F_B) it.b = it.b - F_B[i];
  }
}

// Eliminates the columns of body i from its P: U and d of each. Whoever calls the recursions looks at d
// afterwards: where one is zero the mass matrix is singular, and nothing here branches on it.
template <class T>
void eliminate(const torsor_model& model, int i, ArticulatedBody<T>& body, Column<T>* column) {
  for (int k = model.v_index[i]; k < columns_end(model, i); ++k) {
    const Twist<T> S = screw<T>(model, k);
    column[k].U = body.P * S;
    column[k].d = dot(S, column[k].U) + T(model.armature[k]);
    column[k].d_inverse = T(1) / column[k].d;
    body.P = subtract_outer(body.P, column[k].d_inverse, column[k].U);
  }
}
// u of each column of body i, and its b after their elimination, without P gamma.
template <class T>
void absorb(const torsor_model& model, int i, const T* tau, Wrench<T>& b, Column<T>* column) {
  for (int k = model.v_index[i]; k < columns_end(model, i); ++k) {
    column[k].u = tau[k] - dot(screw<T>(model, k), b);
    b = b + (column[k].d_inverse * column[k].u) * column[k].U;
  }
}
// vdot of each column of body i; Vdot comes in as that of the parent's motion and leaves as the body's.
template <class T>
void release(const torsor_model& model, int i, const Column<T>* column, Twist<T>& Vdot, T* vdot) {
  for (int k = columns_end(model, i) - 1; k >= model.v_index[i]; --k) {
    vdot[k] = column[k].d_inverse * (column[k].u - dot(Vdot, column[k].U));
    Vdot = Vdot + vdot[k] * screw<T>(model, k);
  }
}

// vdot [n_v] for tau [n_v]. body: n_body; column: n_v.
template <class T>
void forward(const torsor_model& model, const Pose<T>* X_PB, const T* v, const T* tau, const Twist<T>& V_W,
             const Twist<T>& A_W, const Wrench<T>* F_B, ArticulatedBody<T>* body, Column<T>* column,
             T* vdot) {
  start(model, X_PB, v, V_W, F_B, body);
  for (int i = model.n_body - 1; i > 0; --i) {
    eliminate(model, i, body[i], column);
    absorb(model, i, tau, body[i].b, column);
    ArticulatedBody<T>& parent = body[model.parent[i]];
    add_transformed(X_PB[i], body[i].P, parent.P);
    parent.b = parent.b + transform(X_PB[i], body[i].b + body[i].P * body[i].gamma);
  }
  body[0].Vdot = {A_W.w, A_W.v + cross(V_W.w, V_W.v)};
  for (int i = 1; i < model.n_body; ++i) {
    body[i].Vdot = inverse_transform(X_PB[i], body[model.parent[i]].Vdot) + body[i].gamma;
    release(model, i, column, body[i].Vdot, vdot);
  }
}

// tau [n_v] for prescribed vdot [n_v]. body: n_body.
template <class T>
void inverse(const torsor_model& model, const Pose<T>* X_PB, const T* v, const T* vdot, const Twist<T>& V_W,
             const Twist<T>& A_W, const Wrench<T>* F_B, ArticulatedBody<T>* body, T* tau) {
  start(model, X_PB, v, V_W, F_B, body);
  for (int i = model.n_body - 1; i > 0; --i) {
    ArticulatedBody<T>& parent = body[model.parent[i]];
    body[i].gamma = body[i].gamma + joint_twist(model, i, vdot);
    add_transformed(X_PB[i], body[i].P, parent.P);
    parent.b = parent.b + transform(X_PB[i], body[i].b + body[i].P * body[i].gamma);
  }
  body[0].Vdot = {A_W.w, A_W.v + cross(V_W.w, V_W.v)};
  for (int i = 1; i < model.n_body; ++i) {
    body[i].Vdot = inverse_transform(X_PB[i], body[model.parent[i]].Vdot) + body[i].gamma;
    const Wrench<T> F = body[i].P * body[i].Vdot + body[i].b;
    for (int k = model.v_index[i]; k < columns_end(model, i); ++k)
      tau[k] = dot(screw<T>(model, k), F) + T(model.armature[k]) * vdot[k];
  }
}

// M^-1 [n_v x n_v]: the elimination once, then the response at rest to a unit torque in each column: backward
// along the way to the world, forward over the tree. body: n_body; column, unit, response: n_v.
template <class T>
void inverse_mass_matrix(const torsor_model& model, const Pose<T>* X_PB, ArticulatedBody<T>* body,
                         Column<T>* column, T* unit, T* response, T* Minv) {
  const int n = model.n_v;
  body[0].P = {};
  for (int i = 1; i < model.n_body; ++i) body[i].P = rigid<T>(model, i);
  for (int i = model.n_body - 1; i > 0; --i) {
    eliminate(model, i, body[i], column);
    add_transformed(X_PB[i], body[i].P, body[model.parent[i]].P);
  }
  std::fill_n(unit, n, T(0));
  for (int source = 1; source < model.n_body; ++source) {
    for (int k = model.v_index[source]; k < columns_end(model, source); ++k) {
      for (int j = 0; j < n; ++j) column[j].u = T(0);
      unit[k] = T(1);
      Wrench<T> b{};
      for (int i = source; i > 0; i = model.parent[i]) {
        absorb(model, i, unit, b, column);
        b = transform(X_PB[i], b);
      }
      unit[k] = T(0);
      body[0].Vdot = {};
      for (int i = 1; i < model.n_body; ++i) {
        body[i].Vdot = inverse_transform(X_PB[i], body[model.parent[i]].Vdot);
        release(model, i, column, body[i].Vdot, response);
      }
      for (int j = 0; j < n; ++j) Minv[j * n + k] = response[j];
    }
  }
}

}  // namespace torsor::articulated_body
