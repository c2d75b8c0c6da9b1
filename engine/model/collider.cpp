#include "torsor/model/collider.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/model/model.hpp"

namespace torsor {

ContactMaterial combine(const ContactMaterial& a, const ContactMaterial& b) {
  ContactMaterial out{.mu = std::sqrt(a.mu * b.mu),
                      .restitution = std::max(a.restitution, b.restitution),
                      .torsional = std::max(a.torsional, b.torsional),
                      .rolling = std::max(a.rolling, b.rolling)};
  out.stiffness = a.is_compliant() && b.is_compliant() ? 1 / (1 / a.stiffness + 1 / b.stiffness)
                                                       : a.stiffness + b.stiffness;
  const auto damping = [&](const ContactMaterial& of) {
    const double part = of.is_compliant() ? out.stiffness / of.stiffness : 0;
    return of.damping * part * part;
  };
  out.damping = damping(a) + damping(b);
  return out;
}

std::optional<std::string> value_defect(const ContactMaterial& material) {
  for (const auto& [what, value] : {std::pair{"mu", material.mu},
                                    {"torsional friction", material.torsional},
                                    {"rolling friction", material.rolling},
                                    {"stiffness", material.stiffness},
                                    {"damping", material.damping}})
    if (!(value >= 0) || std::isinf(value))
      return fmt::format("its {} is {}; it must be finite and not negative", what, value);
  constexpr double largest_stiffness = 1e12;
  if (material.stiffness > largest_stiffness)
    return fmt::format("its stiffness is {:g} N/m; give at most {:g} N/m, or 0 for a rigid contact",
                       material.stiffness, largest_stiffness);
  if (!(material.restitution >= 0 && material.restitution <= 1))
    return fmt::format("its restitution is {}; it must be from 0 to 1", material.restitution);
  return std::nullopt;
}

std::optional<std::string> defect(const ContactMaterial& material) {
  if (auto wrong = value_defect(material)) return wrong;
  if (material.damping > 0 && !material.is_compliant())
    return fmt::format("its damping is {}, and it has no stiffness; give both", material.damping);
  if (material.restitution > 0 && material.is_compliant())
    return fmt::format(
        "its restitution is {}, and its stiffness {}; the rebound of a compliant contact follows "
        "from its damping: set one of them to 0, for a pair with collision_pair",
        material.restitution, material.stiffness);
  return std::nullopt;
}

bool may_collide(const Model& model, int a, int b) {
  const Collider &A = model.colliders[size_t(a)], &B = model.colliders[size_t(b)];
  if (A.body == B.body) return false;
  const ColliderPair pair = std::minmax(a, b);
  if (std::ranges::binary_search(model.forced_collisions, pair)) return true;
  return (A.group < 0 || A.group != B.group) &&
         !std::ranges::binary_search(model.excluded_collisions, pair);
}

bool has_contacts(const Model& model) {
  const int n = int(model.colliders.size());
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b)
      if (may_collide(model, a, b)) return true;
  return false;
}

bool has_compliance(const Model& model) {
  const auto is_compliant = [](const auto& each) { return each.material.is_compliant(); };
  return std::ranges::any_of(model.colliders, is_compliant) ||
         std::ranges::any_of(model.pair_materials, is_compliant);
}

std::string pair_names(const Model& model, int a, int b) {
  return fmt::format("'{}' and '{}'", model.colliders[size_t(a)].name,
                     model.colliders[size_t(b)].name);
}

ContactMaterial contact_material(const Model& model, int a, int b) {
  const ColliderPair pair = std::minmax(a, b);
  const auto found = std::ranges::lower_bound(model.pair_materials, pair, {}, &PairMaterial::pair);
  if (found != model.pair_materials.end() && found->pair == pair) return found->material;
  return combine(model.colliders[size_t(a)].material, model.colliders[size_t(b)].material);
}

}  // namespace torsor
