#pragma once
// Partial derivatives of recursive Newton-Euler inverse dynamics, as a separate recursion,
// templated on the scalar.
//
// A root is a body attached to the world. All vectors are expressed in a fixed frame that coincides
// with the root body of their tree in this state. S, V, A and F of every body refer to its origin,
// so sums over a subtree need no transformation. With s = sum S v over the dof of a joint and the
// parent p:
//
//   V = V_p + s,   A = A_p + sum S vdot + ad_(V_p) s,   F = I A - ad_V^T I V - F_ext
//   tau_j = S_j . F^c_j
//
// The superscript c denotes a sum over the subtree of joint j. A change of q_k moves the subtree of
// joint k as one rigid body along S_k. Seen from this subtree, only the motion (V_p, A_p) of the
// parent of joint k changes:
//
//   dV_p = -ad_(S_k) V_p = P_k,   P_k = ad_(V_p) S_k
//   dA = Q_k - ad_V P_k,          Q_k = ad_(A_p) S_k + ad_(V_p) P_k
//
// Let V change by a small twist W, and A by -ad_V W. The wrench F of a body then changes by twice
// the Coriolis wrench of its points r with velocities rdot:
//
//   B W = 2 sum m (r x (w x rdot), w x rdot) = 2 (tr(K) w - K w, w x p)
//   K = sum m rdot r^T,   p = sum m rdot
//
// B W depends only on the angular part w of W. The B of several bodies is the sum of their B. For a
// dof j in the subtree of joint k, including the dof of joint k itself (Carpentier and Mansard
// 2018; B as in Singh, Russell and Wensing 2022):
//
//   dtau_j/dq_k = S_j . (I^c_j Q_k + B^c_j P_k)                            = Q_k . f_j + P_k . g_j
//   dtau_j/dv_k = S_j . (I^c_j D_k + B^c_j S_k),   D_k = P_k + ad_V S_k     = D_k . f_j + S_k . g_j
//
// where f_j = I^c_j S_j and g_j = B^c_j^T S_j. For j on the path from joint k to the world, F^c_k
// also rotates with the subtree:
//
//   dtau_j/dq_k = S_j . (I^c_k Q_k + B^c_k P_k - ad_(S_k)^T F^c_k)
//   dtau_j/dv_k = S_j . (I^c_k D_k + B^c_k S_k)

#include <algorithm>

#include "torsor/sdk/model_view.hpp"
#include "torsor/spatial/dual.hpp"

namespace torsor::newton_euler {

// The operator B of one body, or of a sum of bodies.
template <class T>
struct Coriolis {
  Mat3<T> K;
  Vec3<T> p;
};
template <class T>
Coriolis<T> operator+(const Coriolis<T>& a, const Coriolis<T>& b) {
  return {a.K + b.K, a.p + b.p};
}
template <class T>
Wrench<T> operator*(const Coriolis<T>& B, const Vec3<T>& w) {
  const T trace = B.K.m[0] + B.K.m[4] + B.K.m[8];
  return {T(2) * (trace * w - B.K * w), T(2) * cross(w, B.p)};
}
// Returns the angular part of the twist-to-wrench product B^T S. Its linear part is zero.
template <class T>
Vec3<T> transpose_times(const Coriolis<T>& B, const Twist<T>& S) {
  const T trace = B.K.m[0] + B.K.m[4] + B.K.m[8];
  return T(2) * (trace * S.w - transpose_times(B.K, S.w) + cross(B.p, S.v));
}
// Returns B of a body. The velocities rdot = v + w x r of its points give K = v h^T + w~ E and p =
// m v + w x h, where E = sum m r r^T = tr(I)/2 1 - I.
template <class T>
Coriolis<T> coriolis(const SpatialInertia<T>& M, const Twist<T>& V) {
  const Vec3<T>&w = V.w, &v = V.v, &h = M.h;
  const T half = T(0.5) * trace(M.I);
  const Vec3<T> x = cross(w, Vec3<T>{half - M.I.xx, -M.I.xy, -M.I.xz}),
                y = cross(w, Vec3<T>{-M.I.xy, half - M.I.yy, -M.I.yz}),
                z = cross(w, Vec3<T>{-M.I.xz, -M.I.yz, half - M.I.zz});
  return {{{v.x * h.x + x.x, v.x * h.y + y.x, v.x * h.z + z.x, v.y * h.x + x.y, v.y * h.y + y.y,
            v.y * h.z + z.y, v.z * h.x + x.z, v.z * h.y + y.z, v.z * h.z + z.z}},
          M.m * v + cross(w, h)};
}

template <class T>
struct SubtreeBody {
  Pose<T> X;  // pose in the root body
  Twist<T> V, A;
  // M, B and F of the body, later the sums over its subtree.
  SpatialInertia<T> M;
  Coriolis<T> B;
  Wrench<T> F;
};
template <class T>
struct DofMotion {
  Twist<T> S, P, Q, D;
};

template <class T>
void partials_outward(const sdk::Tree auto& model, int i, const Pose<T>* X_PB, const T* v,
                      const T* vdot, const Twist<T>& V_W, const Twist<T>& A_W, SubtreeBody<T>* body,
                      DofMotion<T>* column) {
  const int parent = model.parent[i];
  SubtreeBody<T>& at = body[i];
  const bool root = parent == 0;
  at.X = root ? Pose<T>::identity() : body[parent].X * X_PB[i];
  const Twist<T> V = root ? inverse_transform(X_PB[i], V_W) : body[parent].V,
                 A = root ? inverse_transform(X_PB[i], A_W) : body[parent].A;
  at.V = V;
  at.A = A;
  for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k) {
    DofMotion<T>& c = column[k];
    c.S = transform(at.X, sdk::screw<T>(model, k));
    c.P = ad(V, c.S);
    c.Q = ad(A, c.S) + ad(V, c.P);
    at.V = at.V + v[k] * c.S;
    at.A = at.A + vdot[k] * c.S + v[k] * c.P;
  }
  for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k)
    column[k].D = column[k].P + (model.v_count[i] == 1 ? column[k].P : ad(at.V, column[k].S));
  at.M = transform(at.X, sdk::inertia<T>(model, i));
  at.B = coriolis(at.M, at.V);
  at.F = at.M * at.A - ad_transpose(at.V, at.M * at.V);
}

// Computes the entries of dtau_dq and dtau_dv that belong to a dof of the joint of body i and a dof
// on its path to the world. The path includes this joint.
template <class T>
void partials_of_joint(const sdk::Tree auto& model, int i, const SubtreeBody<T>& at,
                       const DofMotion<T>* column, T* dtau_dq, T* dtau_dv) {
  const size_t n = size_t(model.n_v);
  for (int k = model.v_index[i]; k < sdk::dof_end(model, i); ++k) {
    const DofMotion<T>& c = column[k];
    const Wrench<T> f = at.M * c.S, of_q = at.M * c.Q + at.B * c.P.w - ad_transpose(c.S, at.F),
                    of_v = at.M * c.D + at.B * c.S.w;
    const Vec3<T> g = transpose_times(at.B, c.S);
    T *row_q = dtau_dq + size_t(k) * n, *row_v = dtau_dv + size_t(k) * n;
    for (int j = i; j > 0; j = model.parent[j]) {
      for (int l = model.v_index[j]; l < sdk::dof_end(model, j); ++l) {
        const DofMotion<T>& to = column[l];
        row_q[l] = dot(to.Q, f) + dot(to.P.w, g);
        row_v[l] = dot(to.D, f) + dot(to.S.w, g);
        if (j == i) continue;
        dtau_dq[size_t(l) * n + size_t(k)] = dot(to.S, of_q);
        dtau_dv[size_t(l) * n + size_t(k)] = dot(to.S, of_v);
      }
    }
  }
}

// Computes dtau_dq and dtau_dv [n_v x n_v] of inverse(vdot). X_PB is [n_body]. V_W and A_W are the
// twist and the acceleration of the world. F_B [n_body] are applied wrenches, or null. Work: body
// [n_body], column [n_v].
template <class T>
void inverse_partials(const sdk::Tree auto& model, const Pose<T>* X_PB, const T* v, const T* vdot,
                      const Twist<T>& V_W, const Twist<T>& A_W, const Wrench<T>* F_B,
                      SubtreeBody<T>* body, DofMotion<T>* column, T* dtau_dq, T* dtau_dv) {
  const size_t size = size_t(model.n_v) * size_t(model.n_v);
  std::fill_n(dtau_dq, size, T(0));
  std::fill_n(dtau_dv, size, T(0));
  for (int i = 1; i < model.n_body; ++i) {
    partials_outward(model, i, X_PB, v, vdot, V_W, A_W, body, column);
    if (F_B) body[i].F = body[i].F - transform(body[i].X, F_B[i]);
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    partials_of_joint(model, i, body[i], column, dtau_dq, dtau_dv);
    if (const int parent = model.parent[i]; parent > 0) {
      SubtreeBody<T>& to = body[parent];
      to.M = to.M + body[i].M;
      to.B = to.B + body[i].B;
      to.F = to.F + body[i].F;
    }
  }
}

// Dual numbers for the second derivatives. constant() returns a value with derivative 0.
// moving_along() returns the pose X exp(e S) = X (1 + e S~) of a body that moves along a screw S.
inline Vec3<Dual> constant(const Vec3<double>& u) {
  return {Dual(u.x), Dual(u.y), Dual(u.z)};
}
inline Twist<Dual> constant(const Twist<double>& V) {
  return {constant(V.w), constant(V.v)};
}
inline Wrench<Dual> constant(const Wrench<double>& F) {
  return {constant(F.n), constant(F.f)};
}
inline Pose<Dual> moving_along(const Pose<double>& X, const Twist<double>& S) {
  const Mat3<double> turned = X.R * hat(S.w);
  const Vec3<double> moved = X.R * S.v;
  Pose<Dual> out;
  for (int k = 0; k < 9; ++k) out.R.m[k] = Dual(X.R.m[k], turned.m[k]);
  out.p = {Dual(X.p.x, moved.x), Dual(X.p.y, moved.y), Dual(X.p.z, moved.z)};
  return out;
}

}  // namespace torsor::newton_euler
