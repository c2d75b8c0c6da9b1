#pragma once
// Lagrange's equations over a tree, with analytic derivatives of the inertia matrix, templated on
// the scalar.
//
// B = sum_m J_m^T M_m J_m follows from the Jacobians of the links (JIN 37, KHALIL 7.9). It is the
// mass matrix without armature. Let d be a body and J_k the screw of dof k in the frame of d. Mc_d
// is the composite inertia of the subtree of d. Only the bodies in the subtree of the deeper joint
// contribute to an entry:
//
//   B_kl = J_k . Mc_d J_l,   d = the deeper one of the bodies of dof k and l
//
// Derivatives are taken along the screws: d_j of a quantity is its rate if dof j moves with unit
// velocity. k < j means that dof k is nearer to the world than dof j. In a body d of the subtree of
// joint j, J_k depends on q_j only if k < j: d_j J_k = -[J_j, J_k], where [.,.] is the Lie bracket
// ad. Let d be the deepest of j, k and l. In the frame of d,
//
//   d_j B_kl = -(k < j) [J_j, J_k] . Mc_d J_l - (l < j) J_k . Mc_d [J_j, J_l]
//
// The derivative is zero if j, k and l are not on one path. For joints with one dof, d_j is the
// derivative with respect to q_j. The derivatives along the dof of one joint do not commute in
// general: [d_j, d_k] = d_[S_j, S_k]. Lagrange's equations then become Hamel's. The Christoffel
// symbols of the first kind then contain structure constants as well as derivatives:
//
//   2 G_ijk = d_k B_ij + d_j B_ik - d_i B_jk                          JIN 46, MR 9.13
//             + B([k,j], i) - B([k,i], j) - B([j,i], k)
//   C_ij = sum_k G_ijk v_k,   Bdot = C + C^T                          JIN 45, KHALIL 7.7
//   G_ijk = G_ikj if every joint has one dof
//
// Let b(x, y; z) = [J_x, J_y] . Mc_d J_z, which is antisymmetric in x and y. Then one expression is
// valid for every order of depth of i, j and k, except for one sign:
//
//   2 G_ijk = b(i,k; j) + b(i,j; k) + s b(k,j; i),   s = -1 if j < k, else 1
//
// A world that moves with the twist V_W is treated as an additional dof with screw V_W and unit
// velocity, before all other dof. It has position 0 on every path below. It has no row in the
// results. A_W contains the acceleration of the world minus gravity.
//
//   tau = B vdot + C v + g - sum J^T F + armature vdot,   g_k = S_k . Mc_k A_k    JIN 42, 43, 44
//
// The cost is O(n^3) for a chain of n joints, because there are O(n^3) symbols.

#include <algorithm>

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/paths.hpp"
#include "torsor/sdk/trace.hpp"

namespace torsor::lagrange_christoffel {

using sdk::dof_end, sdk::inertia, sdk::joint_twist, sdk::Paths, sdk::screw;

// The quantities in a trace, in the order of the table in trace.hpp.
enum Traced {
  jacobian,
  world_acceleration,
  composite_inertia,
  subtree_wrench,
  inertia_row,
  symbols,
  coriolis_row,
  world_force,
  gravity_force,
  wrench_force,
  torque
};

// The arrays in the work area. Position 0 on the path of a body is the world; positions 1, 2, ..
// are the dof from the world to the body.
template <class T>
struct Tables {
  // [paths.size() + n_body] Jacobians. The entries of body d start at index start(d) + d. The first
  // one is V_W in the frame of d. The screws of the dof on the path follow.
  Twist<T>* J;
  SpatialInertia<T>* Mc;  // [n_body]
  // [n_body] A_W in the frame of the body. In bias(): Vdot of the body at vdot = 0.
  Twist<T>* A;
  Wrench<T>* F;  // [n_body] sum of the applied wrenches of a subtree
  Twist<T>* E;   // [n_v + 1] E_a = [J_c, J_a] for the current position c
  // [n_v + 1] Q_a = Mc J_a. R_a . J_x = b(a, x; c) for the current position c.
  Wrench<T>*Q, *R;
};

// Computes J of every body.
template <class T>
void jacobians(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB,
               const Twist<T>& V_W, const Tables<T>& at) {
  at.J[0] = V_W;
  for (int i = 1; i < model.n_body; ++i) {
    const int p = model.parent[i], inherited = paths.length(p) + 1;
    Twist<T>* J_i = at.J + paths.start(i) + i;
    const Twist<T>* J_p = at.J + paths.start(p) + p;
    for (int a = 0; a < inherited; ++a) J_i[a] = inverse_transform(X_PB[i], J_p[a]);
    for (int a = inherited; a <= paths.length(i); ++a)
      J_i[a] = screw<T>(model, paths.column(i, a - 1));
  }
}
// Computes Mc of every body.
template <class T>
void composites(const sdk::Tree auto& model, const Pose<T>* X_PB, const Tables<T>& at) {
  at.Mc[0] = SpatialInertia<T>::zero();
  for (int i = 1; i < model.n_body; ++i) at.Mc[i] = inertia<T>(model, i);
  for (int i = model.n_body - 1; i > 0; --i) {
    SpatialInertia<T>& parent = at.Mc[model.parent[i]];
    parent = parent + transform(X_PB[i], at.Mc[i]);
  }
}

// Calls visit(i, j, k, G_ijk) once for every triple of dof on one path. first = 0 includes the dof
// of the world, whose index is -1. first = 1 excludes it.
template <class T, class Visit>
void for_each_symbol(const sdk::Tree auto& model, const Paths& paths, const Tables<T>& at,
                     int first, Visit visit) {
  for (int d = 1; d < model.n_body; ++d) {
    const Twist<T>* J = at.J + paths.start(d) + d;
    const int own = paths.length(model.parent[d]) + 1;  // first position of the joint of d
    const auto column = [&](int a) { return a == 0 ? -1 : paths.column(d, a - 1); };
    const auto joint = [&](int a) { return a == 0 ? 0 : paths.joint(d, a - 1) + 1; };
    for (int a = first; a <= paths.length(d); ++a) at.Q[a] = at.Mc[d] * J[a];
    for (int c = own; c <= paths.length(d); ++c) {  // the last of the three
      // x = b(c,a; b), y = b(c,b; a), z = b(a,b; c)
      const auto pair = [&](int a, int b, const T& x, const T& y, const T& z) {
        const int k = column(a), l = column(b), m = column(c);
        visit(m, k, l, T(0.5) * (a < joint(b) ? x + y + z : x + y - z));
        if (a < c) visit(k, m, l, T(0.5) * (z - x - y));
        if (a < c && b < c) visit(k, l, m, T(0.5) * (b < own ? z - x - y : z - x + y));
      };
      for (int a = first; a <= c; ++a) {
        at.E[a] = ad(J[c], J[a]);
        at.R[a] = ad_transpose(J[a], at.Q[c]);
      }
      for (int b = first; b <= c; ++b) {
        for (int a = first; a < b; ++a) {
          const T x = dot(at.E[a], at.Q[b]), y = dot(at.E[b], at.Q[a]), z = dot(J[b], at.R[a]);
          pair(a, b, x, y, z);
          pair(b, a, y, x, -z);
        }
        const T x = dot(at.E[b], at.Q[b]);
        pair(b, b, x, x, T(0));
      }
    }
  }
}

// Computes G [n_v x n_v x n_v], where C_ij = sum_k G_ijk v_k.
// Equations: MR 9.86.
template <class T>
void christoffel_symbols(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB,
                         const Tables<T>& at, T* G) {
  const size_t n = size_t(model.n_v);
  std::fill_n(G, n * n * n, T(0));
  jacobians(model, paths, X_PB, Twist<T>{}, at);
  composites(model, X_PB, at);
  for_each_symbol(model, paths, at, 1,
                  [&](int i, int j, int k, const T& g) { G[(i * n + j) * n + k] = g; });
}

// Computes C [n_v x n_v].
// Equations: MR 9.87.
template <class T>
void coriolis_matrix(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB,
                     const T* v, const Tables<T>& at, T* C) {
  const size_t n = size_t(model.n_v);
  std::fill_n(C, n * n, T(0));
  jacobians(model, paths, X_PB, Twist<T>{}, at);
  composites(model, X_PB, at);
  for_each_symbol(model, paths, at, 1,
                  [&](int i, int j, int k, const T& g) { C[i * n + j] = C[i * n + j] + g * v[k]; });
}

// Calls visit(k, l, B_kl) once for every pair of dof on one path. k is deeper than l or equal to
// it.
template <class T, class Visit>
void for_each_inertia(const sdk::Tree auto& model, const Paths& paths, const Tables<T>& at,
                      Visit visit) {
  for (int d = 1; d < model.n_body; ++d) {
    const Twist<T>* J = at.J + paths.start(d) + d + 1;
    for (int c = paths.length(model.parent[d]); c < paths.length(d); ++c) {
      const Wrench<T> momentum = at.Mc[d] * J[c];
      for (int a = 0; a <= c; ++a)
        visit(paths.column(d, c), paths.column(d, a), dot(J[a], momentum));
    }
  }
}

// Computes B [n_v x n_v].
template <class T>
void inertia_matrix(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB,
                    const Tables<T>& at, T* B) {
  const size_t n = size_t(model.n_v);
  std::fill_n(B, n * n, T(0));
  jacobians(model, paths, X_PB, Twist<T>{}, at);
  composites(model, X_PB, at);
  for_each_inertia(model, paths, at,
                   [&](int k, int l, const T& b) { B[k * n + l] = B[l * n + k] = b; });
}

// Computes M = B + armature [n_v x n_v].
template <class T>
void mass_matrix(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB,
                 const Tables<T>& at, T* M) {
  const size_t n = size_t(model.n_v);
  inertia_matrix(model, paths, X_PB, at, M);
  for (size_t k = 0; k < n; ++k) M[k * n + k] = M[k * n + k] + T(model.armature[k]);
}

// Adds the terms of the world's twist, sum_jk G_ijk v_j v_k with j or k of the world, to out [n_v].
template <class T>
void add_world_forces(const sdk::Tree auto& model, const Paths& paths, const T* v,
                      const Tables<T>& at, T* out) {
  const auto velocity = [&](int k) { return k < 0 ? T(1) : v[k]; };
  for_each_symbol(model, paths, at, 0, [&](int i, int j, int k, const T& g) {
    if (i >= 0 && (j < 0 || k < 0)) out[i] = out[i] + g * velocity(j) * velocity(k);
  });
}

// Traces the gravity load and the applied wrenches of the subtree of a body.
template <class T, class Tracing>
void trace_loads(const sdk::Tree auto& model, int i, const Wrench<T>& load, const Wrench<T>& F,
                 const Tables<T>& at, const Tracing& trace) {
  if constexpr (sdk::is_tracing<Tracing>) {
    trace(world_acceleration, i, at.A[i]);
    trace(composite_inertia, i, at.Mc[i]);
    trace(subtree_wrench, i, F);
    for (int k = model.v_index[i]; k < dof_end(model, i); ++k) {
      trace(gravity_force, k, dot(screw<T>(model, k), load));
      trace(wrench_force, k, dot(screw<T>(model, k), F));
    }
  }
}

// Adds S_k . (Mc_k A_k - F_k) to out_k. A_k contains gravity and the acceleration of the world. F_k
// is the sum of the applied wrenches F_B [n_body] of a subtree. F_B may be null.
template <class T, class Tracing = sdk::NoTrace>
void add_loads(const sdk::Tree auto& model, const Pose<T>* X_PB, const Twist<T>& A_W,
               const Wrench<T>* F_B, const Tables<T>& at, T* out, const Tracing& trace = {}) {
  at.A[0] = A_W;
  trace(world_acceleration, 0, A_W);
  for (int i = 1; i < model.n_body; ++i)
    at.A[i] = inverse_transform(X_PB[i], at.A[model.parent[i]]);
  if (F_B) std::copy_n(F_B, model.n_body, at.F);
  for (int i = model.n_body - 1; i > 0; --i) {
    Wrench<T> load = at.Mc[i] * at.A[i];
    trace_loads(model, i, load, F_B ? at.F[i] : Wrench<T>{}, at, trace);
    if (F_B) {
      load = load - at.F[i];
      at.F[model.parent[i]] = at.F[model.parent[i]] + transform(X_PB[i], at.F[i]);
    }
    for (int k = model.v_index[i]; k < dof_end(model, i); ++k)
      out[k] = out[k] + dot(screw<T>(model, k), load);
  }
}

// Computes g [n_v], including the acceleration of the world.
// Equations: KHALIL 7.8.
template <class T>
void gravity(const sdk::Tree auto& model, const Pose<T>* X_PB, const Twist<T>& A_W,
             const Tables<T>& at, T* g) {
  composites(model, X_PB, at);
  std::fill_n(g, model.n_v, T(0));
  add_loads(model, X_PB, A_W, static_cast<const Wrench<T>*>(nullptr), at, g);
}

// Computes tau [n_v] for vdot [n_v]. first is 1 if V_W = 0, otherwise 0.
// Equations: KHALIL 7.4a; MR 9.8, 9.12, 9.85; JIN 40.
template <class T, class Tracing = sdk::NoTrace>
void inverse(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
             const T* vdot, int first, const Twist<T>& V_W, const Twist<T>& A_W,
             const Wrench<T>* F_B, const Tables<T>& at, T* tau, const Tracing& trace = {}) {
  jacobians(model, paths, X_PB, V_W, at);
  composites(model, X_PB, at);
  for (int k = 0; k < model.n_v; ++k) tau[k] = T(model.armature[k]) * vdot[k];
  for_each_inertia(model, paths, at, [&](int k, int l, const T& b) {
    tau[k] = tau[k] + b * vdot[l];
    if (k != l) tau[l] = tau[l] + b * vdot[k];
  });
  const auto velocity = [&](int k) { return k < 0 ? T(1) : v[k]; };
  for_each_symbol(model, paths, at, first, [&](int i, int j, int k, const T& g) {
    if (i >= 0) tau[i] = tau[i] + g * velocity(j) * velocity(k);
  });
  add_loads(model, X_PB, A_W, F_B, at, tau, trace);
}

// Computes the bias b [n_v] without applied wrenches, in vector form and for a moving base:
//
//   b = Bdot v - 1/2 d(v^T B v) + dU                                  JIN 39, KHALIL 7.6
//
// Row i is a sum over the links m of J_i . M_m Vdot_m + [J_i, V_m] . p. Vdot_m is the acceleration
// at vdot = 0, and p = M_m V_m is the momentum. The bracket [J_i, V_m] is the sum of three parts.
// Let W_i be the part of V_m due to the dof before the joint of dof i, and s_i the part due to this
// joint:
//
//   Jdot_i = [J_i, V_m - W_i - s_i],   -d_i V_m = [J_i, W_i],   Hamel's term = [J_i, s_i]
template <class T>
void bias(const sdk::Tree auto& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
          const Twist<T>& V_W, const Twist<T>& A_W, const Tables<T>& at, T* b) {
  jacobians(model, paths, X_PB, V_W, at);
  std::fill_n(b, model.n_v, T(0));
  at.A[0] = A_W;
  for (int m = 1; m < model.n_body; ++m) {
    const Twist<T>* J = at.J + paths.start(m) + m + 1;
    Twist<T> V = J[-1];
    for (int a = 0; a < paths.length(m); ++a) V = V + v[paths.column(m, a)] * J[a];
    at.A[m] = inverse_transform(X_PB[m], at.A[model.parent[m]]) - ad(joint_twist(model, m, v), V);
    const SpatialInertia<T> M = inertia<T>(model, m);
    const Wrench<T> p = M * V, rate = M * at.A[m];
    for (int a = 0; a < paths.length(m); ++a) {
      T& entry = b[paths.column(m, a)];
      entry = entry + dot(J[a], rate) + dot(ad(J[a], V), p);
    }
  }
}

}  // namespace torsor::lagrange_christoffel
