#include "torsor/model/joint.hpp"

namespace torsor {

namespace {
// In the order of JointKind.
constexpr JointTraits kinds[] = {
    {"fixed", 0, 0, 0, 0, false, "", "", ""},
    {"revolute", 1, 1, 1, 0, false, "rad", "rad/s", "N m"},
    {"prismatic", 1, 1, 0, 1, false, "m", "m/s", "N"},
    {"helical", 1, 1, 1, 0, true, "rad", "rad/s", "N m"},
};
}  // namespace

const JointTraits& traits(JointKind kind) {
  return kinds[int(kind)];
}

std::optional<JointKind> joint_kind(std::string_view name) {
  for (int k = 0; k < int(std::size(kinds)); ++k)
    if (kinds[k].name == name) return JointKind(k);
  return std::nullopt;
}

std::vector<std::string> joint_kind_names() {
  std::vector<std::string> names;
  for (const JointTraits& kind : kinds) names.emplace_back(kind.name);
  return names;
}

}  // namespace torsor
