#include "torsor/model/building/placement.hpp"

#include <fmt/format.h>

#include <cmath>

#include "torsor/model/building/checks.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

Vec3<double> unit_axis(const Vec3<double>& axis, const LinkDescription& link) {
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (!(length > 0) || !std::isfinite(length))
    fail_at(link.source, fmt::format("joint '{}': the axis ({}, {}, {}) has no direction",
                                     link.joint.name, axis.x, axis.y, axis.z));
  return {axis.x / length, axis.y / length, axis.z / length};
}

// Returns the frames of a joint from its body-fixed screw (MK): axis e and point y, both in L. The
// origin of J is y, and its z axis is along e. If the joint kind has no axis, J has the axes of L.
// Equations: MR 9.39, 9.40, 9.51.
JointFrames place(const ScrewPlacement& screw, const LinkDescription& link,
                  const Pose<double>& X_RP) {
  const bool has_axis = traits(link.joint.kind).axis;
  Vec3<double> e{0, 0, 1}, y = screw.point;
  if (has_axis) e = unit_axis(screw.axis, link);
  Pose<double> X_PL = screw.X_PL;
  // At home, pose and screw are given in the robot's base frame R at q = 0 (MR, chapter 9: M_i,
  // S_i; A_i = Ad(M_i^-1) S_i).
  if (screw.at_home) {
    const Pose<double> X_LR = inverse(screw.X_PL);
    X_PL = inverse(X_RP) * screw.X_PL;
    e = X_LR.R * e;
    y = X_LR * y;
  }
  const Pose<double> X_LJ{has_axis ? rotation_z_to(e) : Mat3<double>::identity(), y};
  return {X_PL * X_LJ, inverse(X_LJ)};
}

JointFrames place(const StandardDh& dh, const LinkDescription&, const Pose<double>&) {
  return {rotation_z(dh.theta) * translation<double>({0, 0, dh.d}),
          translation<double>({dh.a, 0, 0}) * rotation_x(dh.alpha)};
}

JointFrames place(const ModifiedDh& dh, const LinkDescription&, const Pose<double>&) {
  return {rotation_z(dh.gamma) * translation<double>({0, 0, dh.b}) * rotation_x(dh.alpha) *
              translation<double>({dh.d, 0, 0}) * rotation_z(dh.theta) *
              translation<double>({0, 0, dh.r}),
          Pose<double>::identity()};
}

}  // namespace

JointFrames joint_frames(const LinkDescription& link, const Pose<double>& X_RP) {
  return std::visit([&](const auto& placement) { return place(placement, link, X_RP); },
                    link.joint.placement);
}

Pose<double> motion_of_link(const LinkDescription& link, const double* q) {
  const JointTraits& kind = traits(link.joint.kind);
  const Pose<double> X_JL = joint_frames(link, Pose<double>::identity()).X_JL;
  Pose<double> X_J = Pose<double>::identity();
  if (kind.maps) {
    X_J = kind.maps->pose(q);
  } else if (kind.n_v == 1) {
    const Twist<double>& S = kind.dofs[0].S;
    const double angle = S.w.z * q[0];
    X_J = move_about_z(X_J, std::sin(angle), std::cos(angle),
                       (kind.user_pitch ? link.joint.pitch : S.v.z) * q[0]);
  }
  return inverse(X_JL) * X_J * X_JL;
}

}  // namespace torsor
