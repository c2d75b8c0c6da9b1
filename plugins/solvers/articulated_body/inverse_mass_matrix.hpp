#pragma once
// The inverse of the mass matrix from the articulated-body elimination, templated on the scalar.
//
// The inward pass of algorithm.hpp factorises M = L^T D L without computing M. When dof k is
// eliminated, the wrench U_k = P S_k per unit of its acceleration acts on the bodies further
// inwards. For the dof j of these bodies,
//
//   D_k = d_k,   L_kj = S_j . Ad_jk^T U_k / d_k
//
// with U_k transformed to the body of j. M^-1 follows from L and D (sdk/factor_pattern.hpp). The
// wrenches of all dof in a subtree are transformed to the parent in one loop.

#include "algorithm.hpp"
#include "torsor/sdk/composite_body.hpp"
#include "torsor/sdk/factor_pattern.hpp"

namespace torsor::articulated_body {

using composite_body::Wrenches, sdk::FactorPattern, sdk::Subtrees;

// The work of inverse_mass_matrix(): y [n_v * sdk::groups_at_once], L [pattern.row_doubles()], d
// and d_inverse [n_v] in the order of the pivots, P [n_body], and U [n_v] in the order of the
// subtrees.
template <class T>
struct InverseWork {
  LanesOf<T>* y;
  T *L, *d, *d_inverse;
  ArticulatedInertia<T>* P;
  Wrenches<T> U;

  InverseWork(LanesOf<T>* y_, T* numbers, ArticulatedInertia<T>* P_, const FactorPattern& pattern)
      : y(y_),
        L(numbers),
        d(L + pattern.row_doubles()),
        d_inverse(d + pattern.size()),
        P(P_),
        U(d_inverse + pattern.size(), pattern.size()) {}
  // Divides the work area of a plugin. Its alignment is that of y.
  InverseWork(double* work, const FactorPattern& pattern)
      : InverseWork(
            reinterpret_cast<LanesOf<T>*>(work),
            reinterpret_cast<T*>(reinterpret_cast<LanesOf<T>*>(work) + y_size(pattern)),
            reinterpret_cast<ArticulatedInertia<T>*>(
                reinterpret_cast<T*>(reinterpret_cast<LanesOf<T>*>(work) + y_size(pattern)) +
                numbers(pattern)),
            pattern) {}
  static size_t y_size(const FactorPattern& pattern) {
    return size_t(pattern.size()) * sdk::groups_at_once;
  }
  // The size of L, d, d_inverse and U.
  static size_t numbers(const FactorPattern& pattern) {
    return pattern.row_doubles() + 8 * size_t(pattern.size());
  }
  static size_t bytes(const torsor_model& model, const FactorPattern& pattern) {
    return y_size(pattern) * sizeof(LanesOf<T>) + numbers(pattern) * sizeof(T) +
           size_t(model.n_body) * sizeof(ArticulatedInertia<T>);
  }
};

// Eliminates the dof of the joint of body i from its P, in reverse order, because a dof is further
// outwards in L than the dof before it. Sets the entries of L and D that belong to one of these dof
// and a dof in the subtree of the body.
template <class T, class Joint>
void eliminate_joint(const Joint& joint, const sdk::Tree auto& model, const Subtrees& subtrees,
                     const FactorPattern& pattern, int i, const InverseWork<T>& at) {
  ArticulatedInertia<T>& P = at.P[i];
  const int first = subtrees.begin(i), end = first + subtrees.size(i);
  int place = first + model.v_count[i];
  joint.template for_each_dof_backwards<T>([&](int k, const Twist<T>& S) {
    const Wrench<T> U = P * S;
    const int pivot = pattern.pivot(k);
    const T d = dot(S, U) + T(model.armature[k]), d_inverse = T(1) / d;
    P = subtract_outer(P, d_inverse, U);
    at.d[pivot] = d;
    at.d_inverse[pivot] = d_inverse;
    for (int to = place; to < end; ++to)
      at.L[pattern.row(pattern.pivot(subtrees.column(to))) + pattern.path_length(pivot) - 1] =
          dot(S, at.U[to]);
    at.U.set(--place, d_inverse * U);
  });
  if (model.v_count[i] > 0 && model.armature[model.v_index[i]] == 0) clear(joint, P);
}

// Computes M^-1 [n_v x n_v]. axes and X_PB are [n_body].
template <class T>
void inverse_mass_matrix(const sdk::Tree auto& model, const JointAxis* axes,
                         const Subtrees& subtrees, const FactorPattern& pattern,
                         const Pose<T>* X_PB, const InverseWork<T>& at, T* Minv) {
  for (int i = 1; i < model.n_body; ++i) at.P[i] = rigid(inertia<T>(model, i));
  for (int i = model.n_body - 1; i > 0; --i) {
    with_joint(model, axes[i], i,
               [&](const auto& joint) { eliminate_joint(joint, model, subtrees, pattern, i, at); });
    if (model.parent[i] == 0) continue;
    add_transformed(X_PB[i], at.P[i], Vec3<T>{}, at.P[model.parent[i]]);
    const int first = subtrees.begin(i);
    composite_body::transform_all(X_PB[i], subtrees.size(i), at.U.nx + first, at.U.ny + first,
                                  at.U.nz + first, at.U.fx + first, at.U.fy + first,
                                  at.U.fz + first);
  }
  sdk::inverse_product<T>(pattern, at.L, at.d_inverse, {nullptr, T(1), Minv}, at.y);
}

}  // namespace torsor::articulated_body
