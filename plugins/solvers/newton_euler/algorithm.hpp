#pragma once
// Newton-Euler recursions over a tree, templated on the scalar.
//
// Notation: body i has the pose X_PB = (R, r) in its parent p. S = (Sw, Sv) are the constant screws
// of its joint in the body frame, and s = S v = (sw, sv). w is the angular velocity, wd its
// derivative and a the acceleration of the body origin, all in body axes. h = m c.
//
//   w  = R^T w_p + sw                                            KHALIL 7.51, 7.52, MR 9.54
//   wd = R^T wd_p + (R^T w_p) x sw + Sw vdot                     KHALIL 7.53
//   U  = wd~ + w~ w~                                             KHALIL 7.57
//   a  = R^T (a_p + U_p r)                                       KHALIL 7.54, for any screw
//        + 2 (R^T w_p) x sv + sw x sv + Sv vdot
//   f  = m a + U h                                               KHALIL 7.55
//   n  = I wd + w x (I w) + h x a                                KHALIL 7.56
//   F_p <- F_p + Ad(X_BP)^T F_i                                  KHALIL 7.58, 7.59, 7.60, MR 9.56
//   tau = S . F_i + armature vdot                                KHALIL 7.61, MR 9.57
//
// The recursion does not need the linear velocity of a body. Gravity enters as an acceleration -g
// of the world.

#include <algorithm>

#include "torsor/sdk/composite_body.hpp"
#include "torsor/sdk/joints.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor::newton_euler {

using composite_body::mass_matrix, composite_body::Wrenches;
using sdk::dof_end, sdk::inertia, sdk::JointAxis, sdk::joint_twist, sdk::Subtrees, sdk::with_joint;

template <class T>
struct BodyMotion {
  Vec3<T> w, wd, a;
  Mat3<T> U;
  Wrench<T> F;
};

// Returns U. U r is the acceleration of a point r of the body relative to its origin. The products
// of the entries of w are computed once, for U and for motion_moment().
template <class T>
Mat3<T> point_acceleration(const Vec3<T>& w, const Vec3<T>& wd) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{-yy - zz, xy - wd.z, xz + wd.y, xy + wd.z, -xx - zz, yz - wd.x, xz - wd.y, yz + wd.x,
           -xx - yy}};
}

// Returns I wd + w x (I w). Both triple products of w are written with its six products, three of
// which are in entries of U: U_zx = w_x w_z - wd_y, for example. This needs 15 multiplications
// instead of 24, because the differences of moments of inertia are constant.
// Equations: MR 9.20, 9.34.
template <class T>
Vec3<T> motion_moment(const Sym3<T>& I, const Vec3<T>& w, const Vec3<T>& wd, const Mat3<T>& U) {
  return {I.xx * wd.x + (I.zz - I.yy) * (w.y * w.z) - I.xy * U.m[6] + I.xz * U.m[3] +
              I.yz * (w.y * w.y - w.z * w.z),
          I.yy * wd.y + (I.xx - I.zz) * (w.x * w.z) + I.xy * U.m[7] - I.yz * U.m[1] +
              I.xz * (w.z * w.z - w.x * w.x),
          I.zz * wd.z + (I.yy - I.xx) * (w.x * w.y) - I.xz * U.m[5] + I.yz * U.m[2] +
              I.xy * (w.x * w.x - w.y * w.y)};
}

// The quantities in a trace of inverse(), in the order of the table in trace.hpp.
enum Traced {
  angular_velocity,
  angular_acceleration,
  acceleration,
  motion_wrench,
  joint_wrench,
  torque
};

// Computes the motion of a body from that of its parent, and the wrench required for this motion.
// Equations: KHALIL 7.36, 7.38, 7.39, 7.40, 7.43, 7.44; MR 9.17, 9.21.
template <class T, class Joint>
void outward(const Joint& joint, const Pose<T>& X, const SpatialInertia<T>& M, const T* v,
             const T* vdot, const BodyMotion<T>& p, BodyMotion<T>& body) {
  const Twist<T> s = joint_twist(joint, v), sd = joint_twist(joint, vdot);
  const Vec3<T> w0 = transpose_times(X.R, p.w);
  const Vec3<T> w = w0 + s.w;
  const Vec3<T> wd = transpose_times(X.R, p.wd) + cross(w0, s.w) + sd.w;
  const Vec3<T> a =
      transpose_times(X.R, p.a + p.U * X.p) + T(2) * cross(w0, s.v) + cross(s.w, s.v) + sd.v;
  body.w = w;
  body.wd = wd;
  body.a = a;
  body.U = point_acceleration(w, wd);
  body.F.n = motion_moment(M.I, w, wd, body.U) + cross(M.h, a);
  body.F.f = M.m * a + body.U * M.h;
}

// Computes tau of the dof of a joint from the wrench F that it transmits.
template <class T, class Joint>
void joint_torques(const Joint& joint, const auto* armature, const T* vdot, const Wrench<T>& F,
                   T* tau) {
  joint.template for_each_dof<T>(
      [&](int k, const Twist<T>& S) { tau[k] = dot(S, F) + T(armature[k]) * vdot[k]; });
}

// Computes tau [n_v] for vdot [n_v]. axes and X_PB are [n_body]. V_W and A_W are the twist and the
// acceleration of the world. F_B [n_body] are applied wrenches, or null. Work: body [n_body].
// Equations: KHALIL 7.81, 9.2; MR 9.1, 9.43, 9.75, 9.90.
template <class T, class Tracing = sdk::NoTrace>
void inverse(const sdk::Tree auto& model, const JointAxis* axes, const Pose<T>* X_PB, const T* v,
             const T* vdot, const Twist<T>& V_W, const Twist<T>& A_W, const Wrench<T>* F_B,
             BodyMotion<T>* body, T* tau, const Tracing& trace = {}) {
  const auto trace_motion = [&](int i) {
    trace(angular_velocity, i, body[i].w);
    trace(angular_acceleration, i, body[i].wd);
    trace(acceleration, i, body[i].a);
  };
  body[0] = {V_W.w, A_W.w, A_W.v + cross(V_W.w, V_W.v), point_acceleration(V_W.w, A_W.w), {}};
  trace_motion(0);
  for (int i = 1; i < model.n_body; ++i) {
    with_joint(model, axes[i], i, [&](const auto& joint) {
      outward(joint, X_PB[i], inertia<T>(model, i), v, vdot, body[model.parent[i]], body[i]);
    });
    if (F_B) body[i].F = body[i].F - F_B[i];
    trace_motion(i);
    trace(motion_wrench, i, body[i].F);
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    const Wrench<T>& F = body[i].F;
    trace(joint_wrench, i, F);
    with_joint(model, axes[i], i, [&](const auto& joint) {
      joint_torques(joint, model.armature, vdot, F, tau);
      joint.template for_each_dof<T>([&](int k, const Twist<T>&) { trace(torque, k, tau[k]); });
    });
    Wrench<T>& F_p = body[model.parent[i]].F;
    F_p = F_p + transform(X_PB[i], F);
  }
}

// A body in the axes of the root body of its tree, about the origin of the body itself. A root is a
// body attached to the world. In these axes, sums over a subtree need translations only. Moments
// refer to nearby points, so they lose no digits if the root is far away.
template <class T>
struct AlignedBody {
  Mat3<T> R;            // rotation from the axes of the body to those of the root
  Vec3<T> p;            // from the origin of the parent to that of the body
  SpatialInertia<T> M;  // inertia of the body, later of its subtree
};
template <class T>
void align(const sdk::Tree auto& model, const Pose<T>* X_PB, int i, AlignedBody<T>* body) {
  const int parent = model.parent[i];
  if (parent == 0) {
    body[i].R = Mat3<T>::identity();
  } else {
    body[i].R = body[parent].R * X_PB[i].R;
    body[i].p = body[parent].R * X_PB[i].p;
  }
  const SpatialInertia<T> M = inertia<T>(model, i);
  body[i].M = {M.m, body[i].R * M.h, rotate(body[i].R, M.I)};
}
template <class T>
Twist<T> rotate(const Mat3<T>& R, const Twist<T>& S) {
  return {R * S.w, R * S.v};
}

// The operator N = -ad_V^T M, which maps twists to wrenches, for V = (w, v) and M = (m, h, I). With
// K = w~ h~ = h w^T - (w.h) 1, it maps a twist (W, U) to
//   n = (w~ I - v~ h~) W + K U + m v x U,   f = -K W + m w x U
template <class T>
struct MomentumRate {
  Mat3<T> A, K;
  Vec3<T> mv, mw;
};
// Returns b~ a~ = a b^T - (a.b) 1.
template <class T>
Mat3<T> hat_product(const Vec3<T>& b, const Vec3<T>& a) {
  return {{-(a.y * b.y + a.z * b.z), a.x * b.y, a.x * b.z, a.y * b.x, -(a.x * b.x + a.z * b.z),
           a.y * b.z, a.z * b.x, a.z * b.y, -(a.x * b.x + a.y * b.y)}};
}
template <class T>
MomentumRate<T> momentum_rate(const Twist<T>& V, const SpatialInertia<T>& M) {
  const Vec3<T> x = cross(V.w, Vec3<T>{M.I.xx, M.I.xy, M.I.xz}),
                y = cross(V.w, Vec3<T>{M.I.xy, M.I.yy, M.I.yz}),
                z = cross(V.w, Vec3<T>{M.I.xz, M.I.yz, M.I.zz});
  const Mat3<T> K = hat_product(V.w, M.h), L = hat_product(V.v, M.h);
  return {{{x.x - L.m[0], y.x - L.m[1], z.x - L.m[2], x.y - L.m[3], y.y - L.m[4], z.y - L.m[5],
            x.z - L.m[6], y.z - L.m[7], z.z - L.m[8]}},
          K,
          M.m * V.v,
          M.m * V.w};
}
template <class T>
MomentumRate<T> operator+(const MomentumRate<T>& a, const MomentumRate<T>& b) {
  return {a.A + b.A, a.K + b.K, a.mv + b.mv, a.mw + b.mw};
}
// Returns the operator N about another point P. p is the vector from P to the present reference
// point O of N. A twist (W, U) about P is (W, U - p x W) about O. A wrench (n, f) about O is (n + p
// x f, f) about P.
template <class T>
MomentumRate<T> shift(const Vec3<T>& p, const MomentumRate<T>& N) {
  const Mat3<T> K = N.K + hat_product(N.mw, p);
  return {N.A - (N.K + hat(N.mv)) * hat(p) - hat(p) * K, K, N.mv + cross(p, N.mw), N.mw};
}
template <class T>
Wrench<T> operator*(const MomentumRate<T>& N, const Twist<T>& S) {
  return {N.A * S.w + N.K * S.v + cross(N.mv, S.v), cross(N.mw, S.v) - N.K * S.w};
}
template <class T>
Wrench<T> transpose_times(const MomentumRate<T>& N, const Twist<T>& S) {
  return {transpose_times(N.A, S.w) - transpose_times(N.K, S.v),
          transpose_times(N.K, S.w) - cross(N.mv, S.w) - cross(N.mw, S.v)};
}

template <class T>
struct MovingBody {
  Twist<T> V;         // in root axes
  MomentumRate<T> N;  // N of the body, later the sum over its subtree
};

// Computes C [n_v x n_v] of MK 29, in the form for which Mdot - 2C is skew-symmetric for joints of
// every kind:
//   C = J^T (Mb Jdot + (Mb b - b^T Mb) J),   b = ad_V
// The rate of a screw S_j that is fixed in its body is Sd_j = ad_{V_j} S_j. The Jacobian of body i
// has the rate Jdot_ij = Ad_ij Sd_j - ad_{V_i} J_ij for dof j. The sum over the bodies i in the
// subtrees of both k and j is
//   C_kj = sum_i J_ik . (M_i Ad_ij Sd_j + N_i J_ij),   N = -ad_V^T M
// Let Mc_j and Nc_j be the sums of M and N over the subtree of j. For k on the path from j to the
// world,
//   C_kj = S_k . Ad_jk^T (Mc_j Sd_j + Nc_j S_j)
//   C_jk = Sd_k . Ad_jk^T Mc_j S_j + S_k . Ad_jk^T Nc_j^T S_j
// Work: body and moving [n_body]; S and Sd [n_v], in root axes.
template <class T>
void coriolis_matrix(const sdk::Tree auto& model, const Pose<T>* X_PB, const T* v,
                     AlignedBody<T>* body, MovingBody<T>* moving, Twist<T>* S, Twist<T>* Sd, T* C) {
  const size_t n = size_t(model.n_v);
  std::fill_n(C, n * n, T(0));
  for (int i = 1; i < model.n_body; ++i) {
    align(model, X_PB, i, body);
    Twist<T> V{};
    if (const int parent = model.parent[i]; parent > 0) {
      const Twist<T>& V_p = moving[parent].V;
      V = {V_p.w, V_p.v + cross(V_p.w, body[i].p)};
    }
    for (int k = model.v_index[i]; k < dof_end(model, i); ++k) {
      S[k] = rotate(body[i].R, sdk::screw<T>(model, k));
      V = V + v[k] * S[k];
    }
    for (int k = model.v_index[i]; k < dof_end(model, i); ++k) Sd[k] = ad(V, S[k]);
    moving[i].V = V;
    moving[i].N = momentum_rate(V, body[i].M);
  }
  for (int i = model.n_body - 1; i > 0; --i) {
    for (int k = model.v_index[i]; k < dof_end(model, i); ++k) {
      Wrench<T> F1 = body[i].M * Sd[k] + moving[i].N * S[k], F2 = body[i].M * S[k],
                F3 = transpose_times(moving[i].N, S[k]);
      for (int j = i; j > 0; j = model.parent[j]) {
        for (int l = model.v_index[j]; l < dof_end(model, j); ++l) {
          C[k * n + l] = dot(Sd[l], F2) + dot(S[l], F3);
          C[l * n + k] = dot(S[l], F1);
        }
        const Vec3<T> p = body[j].p;
        F1.n += cross(p, F1.f);
        F2.n += cross(p, F2.f);
        F3.n += cross(p, F3.f);
      }
    }
    if (const int parent = model.parent[i]; parent > 0) {
      const SpatialInertia<T>& M = body[i].M;
      body[parent].M = body[parent].M + shift(body[i].p, M.m, M.h, M.I);
      moving[parent].N = moving[parent].N + shift(body[i].p, moving[i].N);
    }
  }
}

}  // namespace torsor::newton_euler
