#include "torsor/mechanics/singular.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/mechanics/tree_factor.hpp"

namespace torsor {

namespace {

// Returns the smallest eigenvalue of S^T I S + armature of a joint, where I is the inertia of the
// body itself. If all bodies further outwards have physical inertias, this is a lower bound of the
// eigenvalues of the pivot D = S^T P S + armature (tree_factor.hpp). Returns 0 if the value is only
// rounding error at the neutral position.
double own_inertia(const Model& model, int body) {
  const size_t first = size_t(model.v_index[size_t(body)]), n = size_t(model.v_count[size_t(body)]);
  std::vector<double> D;
  for (size_t r = first; r < first + n; ++r)
    for (size_t c = first; c < first + n; ++c)
      D.push_back(dot(model.S_B[r], model.inertia_B[size_t(body)] * model.S_B[c]) +
                  (r == c ? model.armature[r] : 0));
  const double own = symmetric_eigenvalues(D).value_or(std::vector{0.0}).front();
  const State neutral(std::shared_ptr<const Model>(&model, [](const Model*) {}));
  return own > MinPivots(model).at(neutral)[size_t(body)] ? own : 0;
}

}  // namespace

std::string explain_singular(const Model& model, int body) {
  const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                  [&](const Joint& j) { return j.body == body; });
  if (joint == model.joints.end())
    return "the mass matrix is singular; 'torsor lint' names the joints";
  const JointTraits& kind = traits(joint->kind);
  if (const double own = own_inertia(model, body); own > 0)
    return fmt::format(
        "the mass matrix is not positive definite at joint '{}', although its link has an inertia "
        "{}; a link has an impossible inertia ('torsor lint' names it), the solver is wrong "
        "('torsor compare' shows where), or the motion has diverged",
        joint->name,
        kind.n_v > 1 ? "in each of its directions"
                     : fmt::format("of {:.3g} {} about it", own,
                                   model.dof(model.v_index[size_t(body)]).armature_unit()));
  return fmt::format(
      "the mass matrix is singular: {}joint '{}' moves no inertia; give its link '{}' an "
      "inertia{}, or make it fixed ('torsor lint' lists all such joints)",
      kind.n_v > 1 ? "a degree of freedom of " : "", joint->name,
      model.links[size_t(model.child_link(*joint))].name,
      kind.actuated ? ", give the joint an armature" : "");
}

}  // namespace torsor
