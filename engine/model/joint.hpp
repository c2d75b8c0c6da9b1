#pragma once
// Joint kinds. A joint is a one- or many-parameter subgroup of SE(3) about a canonical frame J: X_PB(q) =
// X_PB0 X_J(q). Adding a kind is one row of the table in joint.cpp; no other file names a kind to tell it
// from another.
//
// The kinds of one degree of freedom turn about z by (turn q) and slide along z by (pitch q) (MK 6, helical
// of pitch h):
//   X_J(q) = Rot(z, turn q) Trans(z, pitch q),   S = (0, 0, turn; 0, 0, pitch)
//   revolute turn 1, pitch 0;  prismatic turn 0, pitch 1;  helical turn 1, pitch h (metres per radian)

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/spatial/screw.hpp"

namespace torsor {

enum class JointKind : unsigned char { fixed, revolute, prismatic, helical };

struct JointTraits {
  std::string_view name;
  int n_q, n_v;
  double turn, pitch;  // of z; pitch is the user's where user_pitch
  bool user_pitch;
  std::string_view q_unit, v_unit, tau_unit;
};

const JointTraits& traits(JointKind kind);
std::optional<JointKind> joint_kind(std::string_view name);
std::vector<std::string> joint_kind_names();

// X_PB0 Rot(z, angle) Trans(z, slide), from the sine and cosine of the angle.
template <class T>
constexpr Pose<T> move_about_z(const Pose<T>& X_PB0, const T& sine, const T& cosine, const T& slide) {
  const T* r = X_PB0.R.m;
  const Vec3<T>& p = X_PB0.p;
  return {
      {{r[0] * cosine + r[1] * sine, r[1] * cosine - r[0] * sine, r[2], r[3] * cosine + r[4] * sine,
        r[4] * cosine - r[3] * sine, r[5], r[6] * cosine + r[7] * sine, r[7] * cosine - r[6] * sine, r[8]}},
      {p.x + slide * r[2], p.y + slide * r[5], p.z + slide * r[8]}};
}

}  // namespace torsor
