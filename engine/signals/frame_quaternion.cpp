#include "torsor/signals/frame_quaternion.hpp"

#include <cmath>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

Quaternion about_z(double angle) {
  return {std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
}

// Returns the angle about z of a joint with several dof but no quaternion.
double angle_of(const JointTraits& kind, const double* q) {
  for (size_t k = 0; k < kind.coordinates.size(); ++k)
    if (kind.coordinates[k].unit == "rad") return q[k];
  return 0;
}

// Returns the rotation of X_J (joint.hpp) of a joint, as a continuous function of its q.
Quaternion joint_quaternion(const Model& model, int body, const double* q) {
  q += model.q_index[size_t(body)];
  if (model.v_count[size_t(body)] <= 1) return about_z(model.turn[size_t(body)] * q[0]);
  const auto mapped =
      std::ranges::find(model.mapped, body, [](const MappedBody& each) { return each.body; });
  const int first = mapped->kind->maps->quaternion;
  if (first < 0) return about_z(angle_of(*mapped->kind, q));
  return {q[first], q[first + 1], q[first + 2], q[first + 3]};
}

}  // namespace

Quaternion frame_quaternion(const State& state, const Frame& frame) {
  const Model& model = state.model();
  Quaternion product = quaternion(frame.X_BF.R);
  for (int body = frame.body; body > 0; body = model.parent[size_t(body)])
    product = quaternion(model.X_PB0[size_t(body)].R) *
              joint_quaternion(model, body, state.q().data()) * product;
  return nearer(quaternion(frame_pose(state, frame).R), product);
}

}  // namespace torsor
