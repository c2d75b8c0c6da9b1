#include "torsor/dynamics/singular.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor {

namespace {

// Returns S^T I S + armature of a column: the inertia of its link alone about the joint. It is a lower
// bound of the pivot D_k = S^T P S + armature (tree_factor.hpp), because bodies beyond only add to P.
double own_inertia(const Model& model, int body, int column) {
  const Twist<double>& S = model.S_B[size_t(column)];
  return dot(S, model.inertia_B[size_t(body)] * S) + model.armature[size_t(column)];
}

double largest_own_inertia(const Model& model) {
  double largest = 0;
  for (int body = 1; body < model.n_body; ++body)
    for (int k = 0; k < model.v_count[size_t(body)]; ++k)
      largest = std::max(largest, own_inertia(model, body, model.v_index[size_t(body)] + k));
  return largest;
}

}  // namespace

std::string explain_singular(const Model& model, int body) {
  const auto joint =
      std::find_if(model.joints.begin(), model.joints.end(), [&](const Joint& j) { return j.body == body; });
  if (joint == model.joints.end()) return "the mass matrix is singular; 'torsor lint' names the joints";
  const JointTraits& kind = traits(joint->kind);
  constexpr double clearly = 1e-6;  // of the largest inertia: far above the rounding of a pivot
  const double own = kind.n_v == 1 ? own_inertia(model, body, model.v_index[size_t(body)]) : 0;
  if (own > clearly * largest_own_inertia(model))
    return fmt::format(
        "the solver returns a mass matrix that is not positive definite at joint '{}', although the link of "
        "this joint has an inertia of {:.3g} {} about it; the solver is wrong: 'torsor compare' shows which "
        "quantities",
        joint->name, own, model.column(model.v_index[size_t(body)]).armature_unit());
  return fmt::format(
      "the mass matrix is singular: {}joint '{}' moves no inertia; give its link '{}' an inertia{}, or make "
      "it fixed "
      "('torsor lint' lists all such joints)",
      kind.n_v > 1 ? "a degree of freedom of " : "", joint->name,
      model.links[size_t(model.carried_link(*joint))].name,
      kind.actuated ? ", give the joint an armature" : "");
}

}  // namespace torsor
