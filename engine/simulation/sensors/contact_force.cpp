#include "torsor/simulation/sensors/contact_force.hpp"

#include <utility>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

Pose<double> pose_ahead(const State& state, int body, double ahead) {
  const Frame frame{"", body, Pose<double>::identity()};
  const Twist<double> V = frame_twist(state, frame);
  return frame_pose(state, frame) * Pose<double>{exp_so3(ahead * V.w), ahead * V.v};
}

void add_contact_wrenches(const State& state, double ahead, std::span<const ContactForce> contacts,
                          std::span<Wrench<double>> F_B) {
  const Model& model = state.model();
  for (const ContactForce& contact : contacts) {
    for (const auto& [collider, sign] : {std::pair{contact.a, -1.0}, {contact.b, 1.0}}) {
      const int body = model.colliders[size_t(collider)].body;
      const Pose<double> X_WB = pose_ahead(state, body, ahead);
      const Vec3<double> moment = contact.m_W + cross(contact.p_W - X_WB.p, contact.f_W);
      F_B[size_t(body)] =
          F_B[size_t(body)] + sign * Wrench<double>{transpose_times(X_WB.R, moment),
                                                    transpose_times(X_WB.R, contact.f_W)};
    }
  }
}

}  // namespace torsor
