#pragma once
// Featherstone's articulated-body recursions over a tree, templated on the scalar.
//
// Notation as in KHALIL 7.6.2. Body i is in its parent p at pose X_PB = (R, r). S are the screws of
// its joint, w is its angular velocity, s = S v = (sw, sv) and w0 = R^T w_p. Accelerations Vdot =
// (wd, a) are those of the body origin:
//
//   Vdot_i = Ad(X_PB)^-1 (Vdot_p + (0, k)) + gamma + S vdot     KHALIL 7.67
//   k      = w_p x (w_p x r)                                    KHALIL 7.68, first part
//   gamma  = (w0 x sw, 2 w0 x sv + sw x sv)                     KHALIL 7.68, second part
//   F_i    = M_i Vdot_i + beta + sum over children              KHALIL 7.69
//   beta   = (w x (I w), w x (w x h)) - F_ext                   KHALIL 7.70, opposite sign
//
// The inward pass starts at the leaves. Joint i transmits the wrench F = P Vdot + b to body i. P is
// the articulated inertia of the subtree of body i, and b is its bias. The dof of a joint are
// eliminated one by one, as if each dof were a joint and massless bodies connected these joints:
//
//   U = P S,   d = S . U + armature,   u = tau - S . b          KHALIL 7.71, 7.73
//   P <- P - U U^T / d,   b <- b + U u / d                      KHALIL 7.72, 7.73
//   b <- b + P gamma                                            KHALIL 7.73
//
// P and b are then transformed to the parent with Ad(X_BP) and added to its P and b. P (0, k) is
// also added to b there (KHALIL 7.74, 7.75). Without armature the elimination leaves P S = 0. If
// the only dof is about or along z, one row and one column of P are then zero.
//
// The outward pass starts at the world and processes the dof of a joint in reverse order:
//
//   Vdot = Ad(X_PB)^-1 (Vdot_p + (0, k)) + gamma                KHALIL 7.76
//   vdot = (u - U . Vdot) / d,   Vdot <- Vdot + S vdot          KHALIL 7.77, 7.78
//
// If vdot is prescribed (inverse dynamics), no dof is eliminated. The accelerations are then known
// before the inward pass, which adds the wrenches F_i, and tau = S . F_i + armature vdot.

#include <algorithm>
#include <type_traits>

#include "torsor/sdk/joints.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor::articulated_body {

using sdk::inertia, sdk::JointAxis, sdk::joint_twist, sdk::with_joint;

// A symmetric 6x6 matrix [A B; B^T D] that maps twists to wrenches, stored as 21 numbers.
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
ArticulatedInertia<T> rigid(const SpatialInertia<T>& M) {
  return {M.I, hat(M.h), {M.m, M.m, M.m, T(0), T(0), T(0)}};
}
// Returns s u u^T.
template <class T>
Sym3<T> outer(const T& s, const Vec3<T>& u) {
  const Vec3<T> a = s * u;
  return {a.x * u.x, a.y * u.y, a.z * u.z, a.x * u.y, a.x * u.z, a.y * u.z};
}
// Returns P - s U U^T.
template <class T>
ArticulatedInertia<T> subtract_outer(const ArticulatedInertia<T>& P, const T& s,
                                     const Wrench<T>& U) {
  ArticulatedInertia<T> Q{P.A - outer(s, U.n), P.B, P.D - outer(s, U.f)};
  const T n[3] = {s * U.n.x, s * U.n.y, s * U.n.z}, f[3] = {U.f.x, U.f.y, U.f.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Q.B(i, j) = Q.B(i, j) - n[i] * f[j];
  return Q;
}
// Sets the row and the column of P that vanish after elimination without armature (P S = 0) to
// exactly 0. Has no effect for other joints than RotationZ and TranslationZ.
template <class T>
void clear(const auto&, ArticulatedInertia<T>&) {}
template <class T>
void clear(const sdk::RotationZ&, ArticulatedInertia<T>& P) {
  P.A.xz = P.A.yz = P.A.zz = P.B.m[6] = P.B.m[7] = P.B.m[8] = T(0);
}
template <class T>
void clear(const sdk::TranslationZ&, ArticulatedInertia<T>& P) {
  P.D.xz = P.D.yz = P.D.zz = P.B.m[2] = P.B.m[5] = P.B.m[8] = T(0);
}
// Adds Ad(X_BA)^T P Ad(X_BA) to `parent` for X_AB = (R, p). A is the frame of the parent and B the
// frame of P. First rotates the blocks (A, B, D) of P into the axes of the parent. The blocks of
// the result, with C = B + p~ D, are
//   [A + p~ B^T - C p~,  C;  C^T,  D],   where -C p~ = (p~ C^T)^T
// Returns the added matrix times (0, k), the wrench for an acceleration k of the origin, in the
// parent frame.
template <class T>
Wrench<T> add_transformed(const Pose<T>& X_AB, const ArticulatedInertia<T>& P, const Vec3<T>& k,
                          ArticulatedInertia<T>& parent) {
  const Sym3<T> A = rotate(X_AB.R, P.A), D = rotate(X_AB.R, P.D);
  const Mat3<T> B = X_AB.R * P.B * transpose(X_AB.R);
  const T x = X_AB.p.x, y = X_AB.p.y, z = X_AB.p.z;
  const Mat3<T> C{
      {B.m[0] - z * D.xy + y * D.xz, B.m[1] - z * D.yy + y * D.yz, B.m[2] - z * D.yz + y * D.zz,
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
  return {C * k, D * k};
}

// Writes [A B; B^T D] by rows.
inline void write_traced(double* out, const ArticulatedInertia<double>& P) {
  const auto put = [&](int i, int j, double x) { out[6 * i + j] = out[6 * j + i] = x; };
  const auto put_block = [&](int at, const Sym3<double>& S) {
    const double entries[] = {S.xx, S.xy, S.xz, S.yy, S.yz, S.zz};
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) put(at + i, at + j, entries[k++]);
  };
  put_block(0, P.A);
  put_block(3, P.D);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) put(i, 3 + j, P.B(i, j));
}

// The quantities in a trace of forward(), in the order of the table in trace.hpp.
enum Traced {
  angular_velocity,
  origin_acceleration,
  velocity_acceleration,
  velocity_wrench,
  articulated_inertia,
  articulated_bias,
  joint_wrench,
  joint_inertia,
  joint_torque,
  carried_inertia,
  carried_bias,
  carried_acceleration,
  joint_acceleration,
  acceleration
};

template <class T>
struct ArticulatedBody {
  Vec3<T> w, k;
  ArticulatedInertia<T> P;
  Wrench<T> b;
  Twist<T> Vdot;
};
template <class T>
struct Column {
  Wrench<T> U;
  T d, d_inverse, u;
};

// Assigns each component separately. One wide store would delay the reads of single components that
// follow soon.
template <class T>
void store(Vec3<T>& to, const Vec3<T>& u) {
  to.x = u.x;
  to.y = u.y;
  to.z = u.z;
}

// Returns gamma, computed from the angular velocity w = w0 + sw of the body.
template <class T, class Joint>
Twist<T> gamma(const Joint& joint, const T* v, const Vec3<T>& w) {
  const Twist<T> s = joint_twist(joint, v);
  return {cross(w, s.w), T(2) * cross(w, s.v) - cross(s.w, s.v)};
}

// Sets w, k and b = beta of a body from the angular velocity of its parent.
template <class T, class Joint>
void start(const Joint& joint, const Pose<T>& X, const SpatialInertia<T>& M, const T* v,
           const Vec3<T>& w_p, ArticulatedBody<T>& body) {
  const Vec3<T> w = transpose_times(X.R, w_p) + joint_twist(joint, v).w;
  store(body.w, w);
  body.k = cross(w_p, cross(w_p, X.p));
  body.b.n = cross(w, M.I * w);
  body.b.f = cross(w, cross(w, M.h));
}
template <class T>
void start_all(const sdk::Tree auto& model, const JointAxis* axes, const Pose<T>* X_PB, const T* v,
               const Twist<T>& V_W, const Wrench<T>* F_B, ArticulatedBody<T>* body) {
  body[0].w = V_W.w;
  for (int i = 1; i < model.n_body; ++i) {
    with_joint(model, axes[i], i, [&](const auto& joint) {
      start(joint, X_PB[i], inertia<T>(model, i), v, body[model.parent[i]].w, body[i]);
    });
    if (F_B) body[i].b = body[i].b - F_B[i];
  }
}

template <class T, class Tracing>
void trace_start(const sdk::Tree auto& model, const JointAxis* axes, const T* v,
                 const ArticulatedBody<T>* body, const Tracing& trace) {
  if constexpr (sdk::is_tracing<Tracing>) {
    trace(angular_velocity, 0, body[0].w);
    for (int i = 1; i < model.n_body; ++i) {
      trace(angular_velocity, i, body[i].w);
      trace(origin_acceleration, i, body[i].k);
      with_joint(model, axes[i], i, [&](const auto& joint) {
        trace(velocity_acceleration, i, gamma(joint, v, body[i].w));
      });
      trace(velocity_wrench, i, body[i].b);
    }
  }
}

// Eliminates the dof of a joint from P. Stores U and d of each dof and calls use(k, S, U,
// d_inverse) for it. Does not branch on d. The caller must check d afterwards, because d = 0 means
// that M is singular.
template <class T, class Joint, class Use>
void eliminate(const Joint& joint, const auto* armature, ArticulatedInertia<T>& P,
               Column<T>* column, Use use) {
  joint.template for_each_dof<T>([&](int k, const Twist<T>& S) {
    const Wrench<T> U = P * S;
    const T d = dot(S, U) + T(armature[k]), d_inverse = T(1) / d;
    P = subtract_outer(P, d_inverse, U);
    store(column[k].U.n, U.n);
    store(column[k].U.f, U.f);
    column[k].d = d;
    column[k].d_inverse = d_inverse;
    use(k, S, U, d_inverse);
  });
}
// Returns u of a dof. Adds U u / d to b. Does not add P gamma.
template <class T>
T absorb(const T& tau, const Twist<T>& S, const Wrench<T>& U, const T& d_inverse, Wrench<T>& b) {
  const T u = tau - dot(S, b);
  b = b + (d_inverse * u) * U;
  return u;
}
// Computes vdot of each dof of a joint. On entry, Vdot is the acceleration of the body without the
// term S vdot. On return, it is the acceleration of the body.
template <class T, class Joint>
void release(const Joint& joint, const Column<T>* column, Twist<T>& Vdot, T* vdot) {
  joint.template for_each_dof_backwards<T>([&](int k, const Twist<T>& S) {
    vdot[k] = column[k].d_inverse * (column[k].u - dot(Vdot, column[k].U));
    Vdot = Vdot + vdot[k] * S;
  });
}

// Eliminates the dof of the joint of body i. Adds the remaining P and b to those of its parent.
template <bool has_rotor, class T, class Joint, class Tracing>
void inward(const Joint& joint, const auto* armature, const Pose<T>& X, const T* v, const T* tau,
            const ArticulatedBody<T>& body, bool on_world, ArticulatedBody<T>& parent,
            Column<T>* column, int i, const Tracing& trace) {
  ArticulatedInertia<T> P = body.P;
  Wrench<T> b = body.b;
  eliminate(joint, armature, P, column,
            [&](int k, const Twist<T>& S, const Wrench<T>& U, const T& d_inverse) {
              column[k].u = absorb(tau[k], S, U, d_inverse, b);
              trace(joint_wrench, k, U);
              trace(joint_inertia, k, column[k].d);
              trace(joint_torque, k, column[k].u);
            });
  if constexpr (!has_rotor) clear(joint, P);
  trace(carried_inertia, i, P);
  trace(carried_bias, i, b);
  if (on_world) return;
  b = b + P * gamma(joint, v, body.w);
  parent.b = parent.b + transform(X, b) + add_transformed(X, P, body.k, parent.P);
}

// Computes vdot of the dof of the joint of body i, and Vdot of the body from that of its parent.
template <class T, class Joint, class Tracing>
void outward(const Joint& joint, const Pose<T>& X, const T* v, const Column<T>* column,
             const Twist<T>& Vdot_p, ArticulatedBody<T>& body, T* vdot, int i,
             const Tracing& trace) {
  Twist<T> Vdot = inverse_transform(X, Twist<T>{Vdot_p.w, Vdot_p.v + body.k});
  Vdot = Vdot + gamma(joint, v, body.w);
  trace(carried_acceleration, i, Vdot);
  release(joint, column, Vdot, vdot);
  body.Vdot = Vdot;
}

// Computes vdot [n_v] for tau [n_v]. axes and X_PB are [n_body]. V_W and A_W are the twist and the
// acceleration of the world. F_B [n_body] are applied wrenches, or null. Work: body [n_body],
// column [n_v].
template <class T, class Tracing = sdk::NoTrace>
void forward(const sdk::Tree auto& model, const JointAxis* axes, const Pose<T>* X_PB, const T* v,
             const T* tau, const Twist<T>& V_W, const Twist<T>& A_W, const Wrench<T>* F_B,
             ArticulatedBody<T>* body, Column<T>* column, T* vdot, const Tracing& trace = {}) {
  start_all(model, axes, X_PB, v, V_W, F_B, body);
  for (int i = 1; i < model.n_body; ++i) body[i].P = rigid(inertia<T>(model, i));
  trace_start(model, axes, v, body, trace);
  for (int i = model.n_body - 1; i > 0; --i) {
    const int p = model.parent[i];
    trace(articulated_inertia, i, body[i].P);
    trace(articulated_bias, i, body[i].b);
    with_joint(model, axes[i], i, [&](const auto& joint) {
      if (model.armature[model.v_index[i]] == 0)
        inward<false>(joint, model.armature, X_PB[i], v, tau, body[i], p == 0, body[p], column, i,
                      trace);
      else
        inward<true>(joint, model.armature, X_PB[i], v, tau, body[i], p == 0, body[p], column, i,
                     trace);
    });
  }
  body[0].Vdot = {A_W.w, A_W.v + cross(V_W.w, V_W.v)};
  trace(acceleration, 0, body[0].Vdot);
  for (int i = 1; i < model.n_body; ++i) {
    with_joint(model, axes[i], i, [&](const auto& joint) {
      outward(joint, X_PB[i], v, column, body[model.parent[i]].Vdot, body[i], vdot, i, trace);
    });
    trace(acceleration, i, body[i].Vdot);
  }
  for (int k = 0; k < model.n_v; ++k) trace(joint_acceleration, k, vdot[k]);
}

// Computes tau [n_v] for prescribed vdot [n_v]. Work: body [n_body].
template <class T>
void inverse(const sdk::Tree auto& model, const JointAxis* axes, const Pose<T>* X_PB, const T* v,
             const T* vdot, const Twist<T>& V_W, const Twist<T>& A_W, const Wrench<T>* F_B,
             ArticulatedBody<T>* body, T* tau) {
  start_all(model, axes, X_PB, v, V_W, F_B, body);
  body[0].b = {};
  body[0].Vdot = {A_W.w, A_W.v + cross(V_W.w, V_W.v)};
  for (int i = 1; i < model.n_body; ++i)
    with_joint(model, axes[i], i, [&](const auto& joint) {
      Twist<T> Vdot = body[model.parent[i]].Vdot;
      Vdot.v += body[i].k;
      Vdot =
          inverse_transform(X_PB[i], Vdot) + gamma(joint, v, body[i].w) + joint_twist(joint, vdot);
      body[i].Vdot = Vdot;
      body[i].b = body[i].b + inertia<T>(model, i) * Vdot;
    });
  for (int i = model.n_body - 1; i > 0; --i)
    with_joint(model, axes[i], i, [&](const auto& joint) {
      const Wrench<T>& F = body[i].b;
      joint.template for_each_dof<T>(
          [&](int k, const Twist<T>& S) { tau[k] = dot(S, F) + T(model.armature[k]) * vdot[k]; });
      Wrench<T>& parent = body[model.parent[i]].b;
      parent = parent + transform(X_PB[i], F);
    });
}

}  // namespace torsor::articulated_body
