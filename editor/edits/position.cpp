#include "editor/edits/position.hpp"

#include <fmt/format.h>

#include <array>

namespace torsor::editor {

namespace {

// Location of a position in q. If axis is -1, q[index] is the position. Otherwise a quaternion
// begins at q[index], and the position is component `axis` of its rotation vector.
struct Number {
  int index;
  int axis = -1;
};
Number number(const Joint& joint, int place) {
  const JointTraits& kind = traits(joint.kind);
  const int k = place - joint.v_index, quaternion = kind.maps ? kind.maps->quaternion : -1;
  if (quaternion < 0 || k < quaternion) return {joint.q_index + k};
  return {joint.q_index + quaternion, k - quaternion};
}

Vec3<double> rotation_at(std::span<const double> q, int index) {
  const double* r = &q[size_t(index)];
  return rotation_vector({r[0], r[1], r[2], r[3]});
}

}  // namespace

std::vector<Position> positions(const Model& model) {
  static constexpr const char* axes[] = {"rx", "ry", "rz"};
  std::vector<Position> out;
  for (const Joint& joint : model.joints) {
    const JointTraits& kind = traits(joint.kind);
    for (int k = 0; k < kind.n_v; ++k) {
      const auto [index, axis] = number(joint, joint.v_index + k);
      const JointCoordinate& entry = kind.coordinates[size_t(index - joint.q_index)];
      const std::string_view name = axis < 0 ? entry.name : axes[axis];
      out.push_back({kind.n_v > 1 ? fmt::format("{}.{}", joint.name, name) : joint.name,
                     axis < 0 ? entry.unit : "rad", axis < 0 ? index : -1});
    }
  }
  return out;
}

// Within a joint, the k-th rotational dof corresponds to the k-th angle, and the k-th translational
// dof to the k-th length.
std::vector<int> moved_positions(const Model& model) {
  const std::vector<Position> all = positions(model);
  std::vector<int> out(all.size());
  for (const Joint& joint : model.joints) {
    std::array<int, 2> next{joint.v_index, joint.v_index};
    for (int c = joint.v_index; c < joint.v_index + traits(joint.kind).n_v; ++c) {
      const bool turns = model.dof(c).turns();
      int& place = next[turns];
      while ((all[size_t(place)].unit == "rad") != turns) ++place;
      out[size_t(c)] = place++;
    }
  }
  return out;
}

double position(const Model& model, std::span<const double> q, int place) {
  const auto [index, axis] = number(model.joint_of_dof(place), place);
  if (axis < 0) return q[size_t(index)];
  const Vec3<double> u = rotation_at(q, index);
  return axis == 0 ? u.x : axis == 1 ? u.y : u.z;
}

void set_position(const Model& model, std::span<double> q, int place, double value) {
  const auto [index, axis] = number(model.joint_of_dof(place), place);
  if (axis < 0) {
    q[size_t(index)] = value;
    return;
  }
  Vec3<double> u = rotation_at(q, index);
  (axis == 0 ? u.x : axis == 1 ? u.y : u.z) = value;
  const Quaternion r = normalised(exp_quaternion(u));
  double* out = &q[size_t(index)];
  out[0] = r.w, out[1] = r.x, out[2] = r.y, out[3] = r.z;
}

}  // namespace torsor::editor
