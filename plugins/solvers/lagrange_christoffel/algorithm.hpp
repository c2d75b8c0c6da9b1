#pragma once
// Lagrange's equations over a tree, with analytic derivatives of the inertia matrix, templated on
// the scalar.
//
// B = sum_m J_m^T M_m J_m follows from the Jacobians of the links (JIN 37, KHALIL 7.9; B is called
// M elsewhere). Let d be a body and J_k the screw of dof k in the frame of d. Mc_d is the composite
// inertia of all bodies that d carries. Summed over the links beyond the deeper of two joints,
//
//   B_kl = J_k . Mc_d J_l,   d the deeper of k, l
//
// Derivatives are taken along the screws: d_j of a quantity is its rate when joint j moves with
// unit velocity. In a body d carried by joint j, J_k depends on q_j only if k is before j (written
// k < j): d_j J_k = -[J_j, J_k], where [.,.] is the Lie bracket ad. With d the deepest of j, k, l,
// and all quantities in the frame of d,
//
//   d_j B_kl = -(k < j) [J_j, J_k] . Mc_d J_l - (l < j) J_k . Mc_d [J_j, J_l]
//
// The derivative is zero if the three are not on one path. For joints with one dof, d_j is the
// derivative with respect to q_j. The derivatives of a joint with several dof do not commute: [d_j,
// d_k] = d_[S_j, S_k]. Lagrange's equations then become Hamel's, and the symbols of the first kind
// contain structure constants as well as derivatives:
//
//   2 G_ijk = d_k B_ij + d_j B_ik - d_i B_jk                          JIN 46, MR 9.13
//             + B([k,j], i) - B([k,i], j) - B([j,i], k)
//   C_ij = sum_k G_ijk v_k,   Bdot = C + C^T                          JIN 45, KHALIL 7.7
//   G_ijk = G_ikj if every joint has one dof
//
// Let b(x, y; z) = [J_x, J_y] . Mc_d J_z, which is antisymmetric in x and y. The same expression
// then holds for all orders of depth, except for one sign:
//
//   2 G_ijk = b(i,k; j) + b(i,j; k) + s b(k,j; i),   s = -1 if j < k, else 1
//
// A world that moves with the twist V_W is treated as an additional joint before all others, with
// unit velocity and screw V_W. It has position 0 on every path below and no row. A_W contains the
// acceleration of the world, including gravity.
//
//   tau = B vdot + C v + g - sum J^T F + armature vdot,   g_k = S_k . Mc_k A_k    JIN 42-44
//
// The cost is O(n^3) for a chain of n joints, because there are n^3 symbols.

#include <algorithm>

#include "torsor/sdk/model_view.hpp"
#include "torsor/sdk/paths.hpp"

namespace torsor::lagrange_christoffel {

using sdk::columns_end, sdk::inertia, sdk::joint_twist, sdk::Paths, sdk::screw;

// The terms of the symbols, stored in the work area. Positions on the path of a body count from 0,
// which is the world.
template <class T>
struct Tables {
  // [paths.size() + n_body]. The entries of body d start at start(d) + d: the screw of the world,
  // then those of the dof on its path.
  Twist<T>* J;
  SpatialInertia<T>* Mc;  // [n_body]
  Twist<T>* A;            // [n_body] A_W in the frame of the body
  Wrench<T>* F;           // [n_body] wrench applied to all bodies that the body carries
  Twist<T>* E;            // [n_v + 1] [J_c, J_a] of one dof c
  Wrench<T>*Q, *R;        // [n_v + 1] Mc J_a, and the linear form b(a, . ; c)
};

// Computes J of every body.
template <class T>
void jacobians(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB,
               const Twist<T>& V_W, const Tables<T>& at) {
  at.J[0] = V_W;
  for (int i = 1; i < model.n_body; ++i) {
    const int p = model.parent[i], carried = paths.length(p) + 1;
    Twist<T>* J_i = at.J + paths.start(i) + i;
    const Twist<T>* J_p = at.J + paths.start(p) + p;
    for (int a = 0; a < carried; ++a) J_i[a] = inverse_transform(X_PB[i], J_p[a]);
    for (int a = carried; a <= paths.length(i); ++a)
      J_i[a] = screw<T>(model, paths.column(i, a - 1));
  }
}
// Computes Mc of every body.
template <class T>
void composites(const torsor_model& model, const Pose<T>* X_PB, const Tables<T>& at) {
  at.Mc[0] = SpatialInertia<T>::zero();
  for (int i = 1; i < model.n_body; ++i) at.Mc[i] = inertia<T>(model, i);
  for (int i = model.n_body - 1; i > 0; --i) {
    SpatialInertia<T>& parent = at.Mc[model.parent[i]];
    parent = parent + transform(X_PB[i], at.Mc[i]);
  }
}

// Calls visit(i, j, k, G_ijk) once for every triple of dof on one path. The dof of the world is -1.
// It is included if first is 0 and excluded if first is 1.
template <class T, class Visit>
void for_each_symbol(const torsor_model& model, const Paths& paths, const Tables<T>& at, int first,
                     Visit visit) {
  for (int d = 1; d < model.n_body; ++d) {
    const Twist<T>* J = at.J + paths.start(d) + d;
    const int own = paths.length(model.parent[d]) + 1;  // first position of d's joint
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
template <class T>
void christoffel_symbols(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB,
                         const Tables<T>& at, T* G) {
  const size_t n = size_t(model.n_v);
  std::fill_n(G, n * n * n, T(0));
  jacobians(model, paths, X_PB, Twist<T>{}, at);
  composites(model, X_PB, at);
  for_each_symbol(model, paths, at, 1,
                  [&](int i, int j, int k, const T& g) { G[(i * n + j) * n + k] = g; });
}

// Computes C [n_v x n_v].
template <class T>
void coriolis_matrix(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
                     const Tables<T>& at, T* C) {
  const size_t n = size_t(model.n_v);
  std::fill_n(C, n * n, T(0));
  jacobians(model, paths, X_PB, Twist<T>{}, at);
  composites(model, X_PB, at);
  for_each_symbol(model, paths, at, 1,
                  [&](int i, int j, int k, const T& g) { C[i * n + j] = C[i * n + j] + g * v[k]; });
}

// Calls visit(k, l, B_kl) for every pair of dof on one path; k is the deeper one or equal to l.
template <class T, class Visit>
void for_each_inertia(const torsor_model& model, const Paths& paths, const Tables<T>& at,
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

// Computes M = B + armature [n_v x n_v].
template <class T>
void mass_matrix(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB,
                 const Tables<T>& at, T* M) {
  const size_t n = size_t(model.n_v);
  std::fill_n(M, n * n, T(0));
  jacobians(model, paths, X_PB, Twist<T>{}, at);
  composites(model, X_PB, at);
  for_each_inertia(model, paths, at,
                   [&](int k, int l, const T& b) { M[k * n + l] = M[l * n + k] = b; });
  for (size_t k = 0; k < n; ++k) M[k * n + k] = M[k * n + k] + T(model.armature[k]);
}

// Adds S_k . (Mc_k A_k - F_k) to out_k: gravity, the motion of the world and the applied wrenches
// F_B [n_body] or null.
template <class T>
void add_loads(const torsor_model& model, const Pose<T>* X_PB, const Twist<T>& A_W,
               const Wrench<T>* F_B, const Tables<T>& at, T* out) {
  at.A[0] = A_W;
  for (int i = 1; i < model.n_body; ++i)
    at.A[i] = inverse_transform(X_PB[i], at.A[model.parent[i]]);
  if (F_B) std::copy_n(F_B, model.n_body, at.F);
  for (int i = model.n_body - 1; i > 0; --i) {
    Wrench<T> load = at.Mc[i] * at.A[i];
    if (F_B) {
      load = load - at.F[i];
      at.F[model.parent[i]] = at.F[model.parent[i]] + transform(X_PB[i], at.F[i]);
    }
    for (int k = model.v_index[i]; k < columns_end(model, i); ++k)
      out[k] = out[k] + dot(screw<T>(model, k), load);
  }
}

// Computes g [n_v].
template <class T>
void gravity(const torsor_model& model, const Pose<T>* X_PB, const Twist<T>& A_W,
             const Tables<T>& at, T* g) {
  composites(model, X_PB, at);
  std::fill_n(g, model.n_v, T(0));
  add_loads(model, X_PB, A_W, static_cast<const Wrench<T>*>(nullptr), at, g);
}

// Computes tau [n_v] for vdot [n_v]. first is 1 if V_W is zero, else 0.
template <class T>
void inverse(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
             const T* vdot, int first, const Twist<T>& V_W, const Twist<T>& A_W,
             const Wrench<T>* F_B, const Tables<T>& at, T* tau) {
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
  add_loads(model, X_PB, A_W, F_B, at, tau);
}

// Computes the bias b [n_v] without applied wrenches, in vector form and for a moving base:
//
//   b = Bdot v - 1/2 d(v^T B v) + dU                                  JIN 39, KHALIL 7.6
//
// The sum runs over the links. p = M_m V_m is the momentum of link m. W_i is the part of its twist
// from the joints before i, and s_i the part from the joint of i. The rate of J_i is [J_i, V - W_i
// - s_i], the derivative d_i V is [W_i, J_i], and Hamel's term is [J_i, s_i]. Their sum leaves
// [J_i, V_m] . p. The other term is J_i . M_m Vdot_m with the accelerations at vdot = 0.
template <class T>
void bias(const torsor_model& model, const Paths& paths, const Pose<T>* X_PB, const T* v,
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
