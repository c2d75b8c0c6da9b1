#include "editor/session/position.hpp"

#include <fmt/format.h>

namespace torsor::editor {

namespace {

// Where a column's number is: an entry of q, or one of the rotation vector of the quaternion that starts there.
struct Place {
  int index;
  int axis = -1;
};
Place place(const Joint& joint, int column) {
  const JointTraits& kind = traits(joint.kind);
  const int k = column - joint.v_index, quaternion = kind.maps ? kind.maps->quaternion : -1;
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
      const auto [index, axis] = place(joint, joint.v_index + k);
      const JointCoordinate& entry = kind.coordinates[size_t(index - joint.q_index)];
      const std::string_view name = axis < 0 ? entry.name : axes[axis];
      out.push_back({kind.n_v > 1 ? fmt::format("{}.{}", joint.name, name) : joint.name,
                     axis < 0 ? entry.unit : "rad"});
    }
  }
  return out;
}

double position(const Model& model, std::span<const double> q, int column) {
  const auto [index, axis] = place(model.joint_of_column(column), column);
  if (axis < 0) return q[size_t(index)];
  const Vec3<double> u = rotation_at(q, index);
  return axis == 0 ? u.x : axis == 1 ? u.y : u.z;
}

void set_position(const Model& model, std::span<double> q, int column, double value) {
  const auto [index, axis] = place(model.joint_of_column(column), column);
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
