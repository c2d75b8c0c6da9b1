#pragma once
// The equations of motion in closed form on SE(3), over a tree, templated on the scalar.
//
// System vectors stack one six-vector for each body
// (MR 9.62, 9.72, 9.73, 9.74, 9.75, 9.76, 9.77, 9.78, 9.80, 9.81, 9.82, 9.83, 9.84; MK 17, 22-29).
// D is the block matrix whose block (i, parent(i)) is Ad(X_PB_i)^-1, and X = diag(S_i) are the
// joint screws. Block (i, j) of A = (I - D)^-1 is the Adjoint from body j to body i if i is j or a
// descendant of j, otherwise zero.
//
//   V    = A (X v + V_0),  J = A X                   V = J v if the world is at rest
//                                                    MR 9.77, MK 15-16, 23
//   Jdot = A (a X - a J),  a = diag(ad_{S_i v_i})    for joints of any size, MK 19-21, 26
//   Vdot = A (X vdot + A_0 - a V)                    MR 9.78, MK 22
//
// V_0 is the twist of the world, and A_0 its acceleration minus gravity. Both are in the frames of
// the bodies attached to the world. With Mb = diag(M_i), b = diag(ad_{V_i}) and the applied
// wrenches W:
//
//   M   = J^T Mb J + armature                        MR 9.82, MK 27
//   C   = J^T (Mb Jdot + (Mb b - b^T Mb) J)          Mdot - 2C is skew-symmetric
//                                                    MK 29, for joints of any size
//   g   = J^T Mb A A_0                               MR 9.84, MK 32, 33
//   tau = J^T (Mb Vdot - b^T Mb V - W) + armature vdot
//                                                    MR 9.79-9.80, MK 1, 34
//
// A is not stored. The product y = A z is the solution of (I - D) y = z, computed body by body from
// the world outward. J and Jdot are stored for the dof on the path of each body. All other entries
// are zero. The cost is O(n) for a product with A, O(n^2) for J, and O(n^3) for M and C.

#include <algorithm>

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/paths.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor::lie_group {

using sdk::dof_end, sdk::inertia, sdk::joint_twist, sdk::Paths, sdk::screw;

// The quantities in a trace, in the order of the table in trace.hpp.
enum Traced {
  twist,
  jacobian,
  jacobian_rate,
  acceleration,
  motion_wrench,
  world_acceleration,
  inertia_row,
  coriolis_row,
  gravity_force,
  torque
};

// Computes J = A X [paths.size()].
template <class T>
void jacobians(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, Twist<T>* J) {
  for (int i = 1; i < model.n_body; ++i) {
    Twist<T>* J_i = J + paths.start(i);
    const Twist<T>* J_p = J + paths.start(model.parent[i]);
    const int inherited = paths.length(model.parent[i]);
    for (int a = 0; a < inherited; ++a) J_i[a] = inverse_transform(X_PB[i], J_p[a]);
    for (int a = inherited; a < paths.length(i); ++a) J_i[a] = screw<T>(model, paths.column(i, a));
  }
}

// Computes Jdot = A (a X - a J) [paths.size()]. For the dof of the joint of body i, the entries of
// body i are zero, because a X and a J cancel.
template <class T>
void jacobian_rates(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
                    const Twist<T>* J, Twist<T>* Jdot) {
  for (int i = 1; i < model.n_body; ++i) {
    const Twist<T> s = joint_twist(model, i, v);
    const Twist<T>* J_i = J + paths.start(i);
    Twist<T>* Jdot_i = Jdot + paths.start(i);
    const Twist<T>* Jdot_p = Jdot + paths.start(model.parent[i]);
    const int inherited = paths.length(model.parent[i]);
    for (int a = 0; a < inherited; ++a)
      Jdot_i[a] = inverse_transform(X_PB[i], Jdot_p[a]) - ad(s, J_i[a]);
    for (int a = inherited; a < paths.length(i); ++a) Jdot_i[a] = {};
  }
}

// Computes V = A (X v + V_0) [n_body]. Sets V[0], the entry of the world, to V_W.
template <class T>
void twists(const torsor_model& model, const Pose<T>* X_PB, const T* v, const Twist<T>& V_W,
            Twist<T>* V) {
  V[0] = V_W;
  for (int i = 1; i < model.n_body; ++i)
    V[i] = inverse_transform(X_PB[i], V[model.parent[i]]) + joint_twist(model, i, v);
}

// Computes Vdot = A (X vdot + A_0 - a V) [n_body]. Sets Vdot[0], the entry of the world, to A_W.
// Equations: MR 9.48, 9.55.
template <class T>
void accelerations(const torsor_model& model, const Pose<T>* X_PB, const T* v, const T* vdot,
                   const Twist<T>& A_W, const Twist<T>* V, Twist<T>* Vdot) {
  Vdot[0] = A_W;
  for (int i = 1; i < model.n_body; ++i)
    Vdot[i] = inverse_transform(X_PB[i], Vdot[model.parent[i]]) + joint_twist(model, i, vdot) -
              ad(joint_twist(model, i, v), V[i]);
}

// Adds J_i^T F to out [n_v].
// Equations: KHALIL 7.30.
template <class T>
void project(const Paths& paths, int i, const Twist<T>* J, const Wrench<T>& F, T* out) {
  for (int a = 0; a < paths.length(i); ++a) {
    T& entry = out[paths.column(i, a)];
    entry = entry + dot(J[paths.start(i) + a], F);
  }
}

// Computes tau [n_v] for vdot [n_v]. X_PB is [n_body]. V_W and A_W are the twist and the
// acceleration of the world. F_B [n_body] are applied wrenches, or null. Work: J [paths.size()], V
// and Vdot [n_body].
template <class T, class Tracing = sdk::NoTrace>
void inverse(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
             const T* vdot, const Twist<T>& V_W, const Twist<T>& A_W, const Wrench<T>* F_B,
             Twist<T>* J, Twist<T>* V, Twist<T>* Vdot, T* tau, const Tracing& trace = {}) {
  jacobians(model, paths, X_PB, J);
  twists(model, X_PB, v, V_W, V);
  accelerations(model, X_PB, v, vdot, A_W, V, Vdot);
  trace(twist, 0, V_W), trace(acceleration, 0, A_W);
  for (int k = 0; k < model.n_v; ++k) tau[k] = T(model.armature[k]) * vdot[k];
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<T> M = inertia<T>(model, i);
    Wrench<T> F = M * Vdot[i] - ad_transpose(V[i], M * V[i]);
    if (F_B) F = F - F_B[i];
    trace(twist, i, V[i]), trace(acceleration, i, Vdot[i]), trace(motion_wrench, i, F);
    project(paths, i, J, F, tau);
  }
}

// Computes g [n_v]. Work: J [paths.size()], Vdot [n_body].
template <class T, class Tracing = sdk::NoTrace>
void gravity(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB,
             const Twist<T>& A_W, Twist<T>* J, Twist<T>* Vdot, T* g, const Tracing& trace = {}) {
  jacobians(model, paths, X_PB, J);
  std::fill_n(g, model.n_v, T(0));
  Vdot[0] = A_W;
  trace(world_acceleration, 0, A_W);
  for (int i = 1; i < model.n_body; ++i) {
    Vdot[i] = inverse_transform(X_PB[i], Vdot[model.parent[i]]);
    trace(world_acceleration, i, Vdot[i]);
    project(paths, i, J, inertia<T>(model, i) * Vdot[i], g);
  }
}

// Computes M [n_v x n_v]. Work: J [paths.size()].
// Equations: MR 9.61.
template <class T>
void mass_matrix(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, Twist<T>* J,
                 T* M) {
  const int n = model.n_v;
  jacobians(model, paths, X_PB, J);
  std::fill_n(M, size_t(n) * n, T(0));
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<T> M_i = inertia<T>(model, i);
    const Twist<T>* J_i = J + paths.start(i);
    for (int a = 0; a < paths.length(i); ++a) {
      const Wrench<T> F = M_i * J_i[a];
      T* row = M + size_t(paths.column(i, a)) * n;
      for (int b = 0; b <= a; ++b) {
        T& entry = row[paths.column(i, b)];
        entry = entry + dot(J_i[b], F);
      }
    }
  }
  // The loop above sets only the entries (descendant, ancestor). Copies them to (ancestor,
  // descendant).
  for (int i = 1; i < model.n_body; ++i)
    for (int a = paths.length(model.parent[i]); a < paths.length(i); ++a)
      for (int b = 0; b < a; ++b) {
        const int k = paths.column(i, a), l = paths.column(i, b);
        M[size_t(l) * n + k] = M[size_t(k) * n + l];
      }
  for (int k = 0; k < n; ++k) M[size_t(k) * n + k] = M[size_t(k) * n + k] + T(model.armature[k]);
}

// Computes C [n_v x n_v] for a world at rest. Work: J and Jdot [paths.size()], V [n_body].
// Equations: MK 61.
template <class T>
void coriolis_matrix(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
                     Twist<T>* J, Twist<T>* Jdot, Twist<T>* V, T* C) {
  const int n = model.n_v;
  jacobians(model, paths, X_PB, J);
  jacobian_rates(model, paths, X_PB, v, J, Jdot);
  twists(model, X_PB, v, Twist<T>{}, V);
  std::fill_n(C, size_t(n) * n, T(0));
  for (int i = 1; i < model.n_body; ++i) {
    const SpatialInertia<T> M_i = inertia<T>(model, i);
    const Twist<T>*J_i = J + paths.start(i), *Jdot_i = Jdot + paths.start(i);
    for (int b = 0; b < paths.length(i); ++b) {
      const Wrench<T> F = M_i * (Jdot_i[b] + ad(V[i], J_i[b])) - ad_transpose(V[i], M_i * J_i[b]);
      for (int a = 0; a < paths.length(i); ++a) {
        T& entry = C[size_t(paths.column(i, a)) * n + paths.column(i, b)];
        entry = entry + dot(J_i[a], F);
      }
    }
  }
}

}  // namespace torsor::lie_group
