#include "torsor/mechanics/singular.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/mechanics/state.hpp"
#include "torsor/mechanics/tree_factor.hpp"

namespace torsor {

namespace {

// Returns S^T I S + armature of a joint with one dof, where I is the inertia of the body itself. If
// all bodies further outwards have physical inertias, this is a lower bound of the pivot D = S^T P
// S + armature (tree_factor.hpp). Returns 0 if the value is only rounding error at the neutral
// position.
double own_inertia(const Model& model, int body) {
  const size_t dof = size_t(model.v_index[size_t(body)]);
  const Twist<double>& S = model.S_B[dof];
  const double own = dot(S, model.inertia_B[size_t(body)] * S) + model.armature[dof];
  const State neutral(std::shared_ptr<const Model>(&model, [](const Model*) {}));
  return own > MinPivots(model).at(neutral.X_PB())[size_t(body)] ? own : 0;
}

}  // namespace

std::string explain_singular(const Model& model, int body) {
  const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const Joint& j) { return j.body == body; });
  if (joint == model.joints.end())
    return "the mass matrix is singular; 'torsor lint' names the joints";
  const JointTraits& kind = traits(joint->kind);
  if (const double own = kind.n_v == 1 ? own_inertia(model, body) : 0; own > 0)
    return fmt::format(
        "the mass matrix is not positive definite at joint '{}', although its link has an inertia "
        "of {:.3g} {} about it; a link has an impossible inertia ('torsor lint' names it), the "
        "solver is wrong ('torsor compare' shows where), or the motion has diverged",
        joint->name, own, model.dof(model.v_index[size_t(body)]).armature_unit());
  return fmt::format(
      "the mass matrix is singular: {}joint '{}' moves no inertia; give its link '{}' an "
      "inertia{}, or make it fixed ('torsor lint' lists all such joints)",
      kind.n_v > 1 ? "a degree of freedom of " : "", joint->name,
      model.links[size_t(model.child_link(*joint))].name,
      kind.actuated ? ", give the joint an armature" : "");
}

}  // namespace torsor
