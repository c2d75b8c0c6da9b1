#include "torsor/model/closure.hpp"

#include <algorithm>

namespace torsor {

namespace {

using enum ClosureCondition::Form;

constexpr ClosureCondition along_x{displacement, 0}, along_y{displacement, 1},
    along_z{displacement, 2}, normal_x{orthogonality, 0, 2}, normal_y{orthogonality, 1, 2},
    tilt_x{tilt, 0}, tilt_y{tilt, 1}, turn_z{turn}, right_angle{orthogonality, 2, 2},
    by_pitch{screw}, by_length{length}, by_terms{linear};

constexpr ClosureCondition of_weld[] = {along_x, along_y, along_z, tilt_x, tilt_y, turn_z},
                           of_revolute[] = {along_x, along_y, along_z, normal_x, normal_y},
                           of_prismatic[] = {along_x, along_y, tilt_x, tilt_y, turn_z},
                           of_screw[] = {along_x, along_y, normal_x, normal_y, by_pitch},
                           of_cylindrical[] = {along_x, along_y, normal_x, normal_y},
                           of_universal[] = {along_x, along_y, along_z, right_angle},
                           of_spherical[] = {along_x, along_y, along_z},
                           of_planar[] = {along_z, normal_x, normal_y},
                           of_line[] = {along_x, along_y}, of_plane[] = {along_z},
                           of_distance[] = {by_length}, of_joints[] = {by_terms};

constexpr ClosureTraits closure_kinds[] = {
    {ClosureKind::weld, "weld", of_weld},
    {ClosureKind::revolute, "revolute", of_revolute, JointKind::revolute},
    {ClosureKind::prismatic, "prismatic", of_prismatic, JointKind::prismatic},
    {ClosureKind::screw, "screw", of_screw, JointKind::helical, "pitch"},
    {ClosureKind::cylindrical, "cylindrical", of_cylindrical, JointKind::cylindrical},
    {ClosureKind::universal, "universal", of_universal, JointKind::revolute},
    {ClosureKind::spherical, "spherical", of_spherical, JointKind::spherical},
    {ClosureKind::planar, "planar", of_planar, JointKind::planar},
    {ClosureKind::point_on_line, "point_on_line", of_line},
    {ClosureKind::point_on_plane, "point_on_plane", of_plane},
    {ClosureKind::distance, "distance", of_distance, std::nullopt, "length"},
    {ClosureKind::gear, "gear", of_joints, std::nullopt, "ratio"},
    {ClosureKind::rack, "rack", of_joints, std::nullopt, "radius"},
    {ClosureKind::cable, "cable", of_joints, std::nullopt, "", true},
};

}  // namespace

const ClosureTraits& traits(ClosureKind kind) {
  return closure_kinds[size_t(kind)];
}

std::optional<ClosureKind> closure_kind(std::string_view name) {
  const auto found = std::ranges::find(closure_kinds, name, &ClosureTraits::name);
  if (found == std::end(closure_kinds)) return std::nullopt;
  return found->kind;
}

std::vector<std::string> closure_kind_names() {
  std::vector<std::string> out;
  for (const ClosureTraits& kind : closure_kinds) out.emplace_back(kind.name);
  return out;
}

}  // namespace torsor
