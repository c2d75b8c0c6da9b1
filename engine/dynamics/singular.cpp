#include "torsor/dynamics/singular.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor {

std::string explain_singular(const Model& model, int body) {
  const auto joint =
      std::find_if(model.joints.begin(), model.joints.end(), [&](const Joint& j) { return j.body == body; });
  if (joint == model.joints.end()) return "the mass matrix is singular; 'torsor lint' names the joints";
  const JointTraits& kind = traits(joint->kind);
  return fmt::format(
      "the mass matrix is singular: {}joint '{}' moves no inertia; give its link '{}' an inertia{}, or make "
      "it fixed "
      "('torsor lint' lists all such joints)",
      kind.n_v > 1 ? "a degree of freedom of " : "", joint->name,
      model.links[size_t(model.carried_link(*joint))].name,
      kind.actuated ? ", give the joint an armature" : "");
}

}  // namespace torsor
