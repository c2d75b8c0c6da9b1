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

// The arrays of inverse_mass_matrix() in a work area: y [n_v * sdk::groups_at_once], which needs
// the alignment of the area, L [pattern.row_doubles()], d and d_inverse [n_v] in the order of the
// pivots, U [n_v] in the order of the subtrees, and P [n_body].
template <class T>
struct InverseWork {
  LanesOf<T>* y;
  T *L, *d, *d_inverse;
  Wrenches<T> U;
  ArticulatedInertia<T>* P;

  InverseWork(double* work, const torsor_model& model, const FactorPattern& pattern)
      : y(reinterpret_cast<LanesOf<T>*>(work)),
        L(reinterpret_cast<T*>(y + size_t(model.n_v) * sdk::groups_at_once)),
        d(L + pattern.row_doubles()),
        d_inverse(d + model.n_v),
        U(d_inverse + model.n_v, model.n_v),
        P(reinterpret_cast<ArticulatedInertia<T>*>(U.nx + 6 * size_t(model.n_v))) {}
  static size_t doubles(const torsor_model& model, const FactorPattern& pattern) {
    const size_t n = size_t(model.n_v);
    return (n * sdk::groups_at_once * sizeof(LanesOf<T>) +
            (pattern.row_doubles() + 8 * n) * sizeof(T) +
            size_t(model.n_body) * sizeof(ArticulatedInertia<T>)) /
           sizeof(double);
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
