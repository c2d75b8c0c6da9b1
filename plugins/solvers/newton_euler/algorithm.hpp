#pragma once
// Newton-Euler recursions over a tree, templated on the scalar.
//
// Notation: body i in its parent p at pose X_PB = (R, r); S its constant joint screws in the body frame, s = S v = (sw, sv).
// With the angular velocity w, its derivative wd and the acceleration a of the body origin, all in body axes, h = m c:
//
//   w  = R^T w_p + sw                                                                   KHALIL 7.51-7.52, MR 9.53
//   wd = R^T wd_p + (R^T w_p) x sw + Sw vdot                                            KHALIL 7.53
//   a  = R^T (a_p + wd_p x r + w_p x (w_p x r)) + 2 (R^T w_p) x sv + sw x sv + Sv vdot  KHALIL 7.54, for any screw
//   f  = m a + wd x h + w x (w x h)                                                     KHALIL 7.55, 7.57
//   n  = I wd + w x (I w) + h x a                                                       KHALIL 7.56
//   F_p <- F_p + Ad(X_BP)^T F_i,   tau = S . F_i + armature vdot                        KHALIL 7.58-7.61, MR 9.56-9.57
//
// The linear velocity of a body is never needed. Gravity is the acceleration -g of the world.

#include <algorithm>

#include "torsor/sdk/model_view.hpp"

namespace torsor::newton_euler {

using sdk::columns_end, sdk::inertia, sdk::joint_twist, sdk::screw;

template <class T>
struct BodyMotion {
  Vec3<T> w, wd, a;
  Wrench<T> F;
};

// tau [n_v] for vdot [n_v]. X_PB [n_body]; V_W, A_W: twist and acceleration of the world; F_B [n_body]
// applied wrenches or null; work: n_body BodyMotion.
template <class T>
void inverse(const torsor_model& model, const Pose<T>* X_PB, const T* v, const T* vdot, const Twist<T>& V_W,
             const Twist<T>& A_W, const Wrench<T>* F_B, BodyMotion<T>* body, T* tau) {
  body[0] = {V_W.w, A_W.w, A_W.v + cross(V_W.w, V_W.v), {}};
  for (int i = 1; i < model.n_body; ++i) {
    const Pose<T>& X = X_PB[i];
    const BodyMotion<T>& p = body[model.parent[i]];
    const Twist<T> s = joint_twist(model, i, v), sd = joint_twist(model, i, vdot);
    const Vec3<T> w0 = transpose_times(X.R, p.w);
    const Vec3<T> w = w0 + s.w;
    const Vec3<T> wd = transpose_times(X.R, p.wd) + cross(w0, s.w) + sd.w;
    const Vec3<T> carried = p.a + cross(p.wd, X.p) + cross(p.w, cross(p.w, X.p));
    const Vec3<T> a = transpose_times(X.R, carried) + T(2) * cross(w0, s.v) + cross(s.w, s.v) + sd.v;
    const SpatialInertia<T> M = inertia<T>(model, i);
    Wrench<T> F{M.I * wd + cross(w, M.I * w) + cross(M.h, a),
                M.m * a + cross(wd, M.h) + cross(w, cross(w, M.h))};
    if (F_B) F = F - F_B[i];
    body[i] = {w, wd, a, F};
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    const Wrench<T>& F = body[i].F;
    for (int k = model.v_index[i]; k < columns_end(model, i); ++k)
      tau[k] = dot(screw<T>(model, k), F) + T(model.armature[k]) * vdot[k];
    Wrench<T>& F_p = body[model.parent[i]].F;
    F_p = F_p + transform(X_PB[i], F);
  }
}

// Composite rigid bodies (Walker and Orin's third method; KHALIL 7.6.1 computes the same columns from 7.64).
// The composite inertia Mc_i of all that joint i carries is summed from the leaves; the momentum Mc_i S_i is
// then seen from each ancestor:
//   M_ji = S_j . Ad(X_ij)^T Mc_i S_i
// M: n_v x n_v; composite: n_body.
template <class T>
void mass_matrix(const torsor_model& model, const Pose<T>* X_PB, SpatialInertia<T>* composite, T* M) {
  const int n = model.n_v;
  std::fill_n(M, size_t(n) * n, T(0));
  for (int i = 0; i < model.n_body; ++i) composite[i] = inertia<T>(model, i);
  for (int i = model.n_body - 1; i > 0; --i) {
    SpatialInertia<T>& parent = composite[model.parent[i]];
    parent = parent + transform(X_PB[i], composite[i]);
    for (int k = model.v_index[i]; k < columns_end(model, i); ++k) {
      Wrench<T> F = composite[i] * screw<T>(model, k);
      for (int j = i; j > 0; F = transform(X_PB[j], F), j = model.parent[j])
        for (int l = model.v_index[j]; l < columns_end(model, j); ++l)
          M[l * n + k] = M[k * n + l] = dot(screw<T>(model, l), F);
    }
  }
  for (int k = 0; k < n; ++k) M[k * n + k] = M[k * n + k] + T(model.armature[k]);
}

// A 6x6 matrix that takes twists to wrenches: n = A w + B v, f = C w + D v.
template <class T>
struct TwistToWrench {
  Mat3<T> A, B, C, D;
};
template <class T>
Wrench<T> operator*(const TwistToWrench<T>& P, const Twist<T>& V) {
  return {P.A * V.w + P.B * V.v, P.C * V.w + P.D * V.v};
}
template <class T>
Wrench<T> transpose_times(const TwistToWrench<T>& P, const Twist<T>& V) {
  return {transpose_times(P.A, V.w) + transpose_times(P.C, V.v),
          transpose_times(P.B, V.w) + transpose_times(P.D, V.v)};
}
template <class T>
TwistToWrench<T> operator+(const TwistToWrench<T>& P, const TwistToWrench<T>& Q) {
  return {P.A + Q.A, P.B + Q.B, P.C + Q.C, P.D + Q.D};
}
template <class T>
Mat3<T> negative(const Mat3<T>& A) {
  Mat3<T> B{};
  for (int k = 0; k < 9; ++k) B.m[k] = -A.m[k];
  return B;
}
// Ad(X_BA)^T P Ad(X_BA) for X_AB = (R, p): rotate, then v_B = v - p~ w and n = n_B + p~ f.
template <class T>
TwistToWrench<T> transform(const Pose<T>& X_AB, const TwistToWrench<T>& P) {
  const Mat3<T>&R = X_AB.R, Rt = transpose(R), p = hat(X_AB.p);
  const Mat3<T> A = R * P.A * Rt, B = R * P.B * Rt, C = R * P.C * Rt, D = R * P.D * Rt;
  const Mat3<T> C1 = C + negative(D * p);
  return {A + negative(B * p) + p * C1, B + p * D, C1, D};
}
// -ad_V^T M = [ w~ v~ ; 0 w~ ] [ I h~ ; -h~ m ]
template <class T>
TwistToWrench<T> minus_ad_transpose_times(const Twist<T>& V, const SpatialInertia<T>& M) {
  const Mat3<T> w = hat(V.w), v = hat(V.v), h = hat(M.h);
  const Mat3<T> I{{M.I.xx, M.I.xy, M.I.xz, M.I.xy, M.I.yy, M.I.yz, M.I.xz, M.I.yz, M.I.zz}};
  const Mat3<T> m{{M.m, T(0), T(0), T(0), M.m, T(0), T(0), T(0), M.m}};
  return {w * I + negative(v * h), w * h + v * m, negative(w * h), w * m};
}

template <class T>
struct BodyCoriolis {
  Twist<T> V;
  SpatialInertia<T> M;  // composite
  TwistToWrench<T> B;   // composite
};

// C of MK 29 in the form that is skew for every joint (Mdot - 2C): C = J^T (Mb Jdot + (Mb b - b^T Mb) J), b =
// ad_V. With the rate Sd_j = ad_{V_j} S_j of a screw carried by its body, the column of joint j in body i is
// Jdot_ij = Ad_ij Sd_j - ad_{V_i} J_ij, and the sum over bodies collapses to
//   C_kj = sum_i J_ik . (M_i Ad_ij Sd_j - ad_{V_i}^T M_i J_ij)
// With composites Mc, Bc = sum -ad^T M over what a joint carries, for k on the way from j to the world and
// its mirror image:
//   C_kj = S_k . Ad_jk^T (Mc_j Sd_j + Bc_j S_j),    C_jk = Sd_k . Ad_jk^T Mc_j S_j + S_k . Ad_jk^T Bc_j^T S_j
// C: n_v x n_v; body: n_body.
template <class T>
void coriolis_matrix(const torsor_model& model, const Pose<T>* X_PB, const T* v, BodyCoriolis<T>* body,
                     T* C) {
  const int n = model.n_v;
  std::fill_n(C, size_t(n) * n, T(0));
  body[0] = {};
  for (int i = 1; i < model.n_body; ++i) {
    const Twist<T> V = inverse_transform(X_PB[i], body[model.parent[i]].V) + joint_twist(model, i, v);
    const SpatialInertia<T> M = inertia<T>(model, i);
    body[i] = {V, M, minus_ad_transpose_times(V, M)};
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    BodyCoriolis<T>& parent = body[model.parent[i]];
    parent.M = parent.M + transform(X_PB[i], body[i].M);
    parent.B = parent.B + transform(X_PB[i], body[i].B);
    for (int k = model.v_index[i]; k < columns_end(model, i); ++k) {
      const Twist<T> S = screw<T>(model, k);
      Wrench<T> F1 = body[i].M * ad(body[i].V, S) + body[i].B * S, F2 = body[i].M * S,
                F3 = transpose_times(body[i].B, S);
      for (int j = i; j > 0; j = model.parent[j]) {
        for (int l = model.v_index[j]; l < columns_end(model, j); ++l) {
          const Twist<T> S_l = screw<T>(model, l);
          C[k * n + l] = dot(ad(body[j].V, S_l), F2) + dot(S_l, F3);
          C[l * n + k] = dot(S_l, F1);
        }
        F1 = transform(X_PB[j], F1);
        F2 = transform(X_PB[j], F2);
        F3 = transform(X_PB[j], F3);
      }
    }
  }
}

}  // namespace torsor::newton_euler
