#pragma once
// Joint kinds. A joint moves in a subgroup of SE(3) with one or more parameters, relative to a
// constant frame J:
//   X_PB(q) = X_PB0 X_J(q),   Xdot_J = X_J [S v].
// The screws S are constant and body-fixed, one per dof. A new kind is an enumerator and its pose
// in this file, and a row of the table in joint.cpp. No other file distinguishes kinds by name.
//
// The kinds with one dof turn about z by (turn q) and slide along z by (pitch q) (MK 6):
//   X_J(q) = Rot(z, turn q) Trans(z, pitch q),   S = (0, 0, turn; 0, 0, pitch)
//   revolute    turn 1, pitch 0
//   prismatic   turn 0, pitch 1
//   helical     turn 1, pitch h in metres per radian
// The screws of the other kinds are unit axes. v and omega are body-fixed, in the axes of B. p is
// the origin of B in J.
//   cylindrical  q = (angle, z)                 v = (omega_z, v_z)
//   planar       q = (x, y, angle)              v = (omega_z, v_x, v_y)
//   spherical    q = quaternion w x y z         v = omega
//   floating     q = (p, quaternion w x y z)    v = (omega, v)

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/spatial/so3.hpp"

namespace torsor {

enum class JointKind : unsigned char {
  fixed,
  revolute,
  prismatic,
  helical,
  cylindrical,
  planar,
  spherical,
  floating
};

// An entry of q.
struct JointCoordinate {
  std::string_view name, unit;
};

// An entry of v, with its screw.
struct JointDof {
  std::string_view name;
  Twist<double> S;
  int coordinate = -1;  // offset, within the joint's q, of the entry whose rate this is; -1 if none
  constexpr bool turns() const { return S.w.x != 0 || S.w.y != 0 || S.w.z != 0; }
  constexpr std::string_view v_unit() const { return turns() ? "rad/s" : "m/s"; }
  constexpr std::string_view vdot_unit() const { return turns() ? "rad/s^2" : "m/s^2"; }
  constexpr std::string_view tau_unit() const { return turns() ? "N m" : "N"; }
  constexpr std::string_view armature_unit() const { return turns() ? "kg m^2" : "kg"; }
  constexpr std::string_view damping_unit() const { return turns() ? "N m s/rad" : "N s/m"; }
};

// The functions of a kind with several dof. They use the entries of q and v of one joint.
struct JointMaps {
  Pose<double> (*pose)(const double* q);  // returns X_J
  // computes out = q exp(S d); out may be the same array as q
  void (*integrate)(const double* q, const double* d, double* out);
  // Computes d = log(q0^-1 q1) in the basis S.
  void (*difference)(const double* q0, const double* q1, double* d);
  // Index of the quaternion in the joint's q, or -1 if there is none.
  int quaternion = -1;
};

// The screws S of joints with several dof are unit axes that span a subalgebra. A twist in this
// span therefore has its components along these axes as coordinates.
inline Twist<double> joint_twist(std::span<const JointDof> dofs, const double* x) {
  Twist<double> V{};
  for (size_t k = 0; k < dofs.size(); ++k) V = V + x[k] * dofs[k].S;
  return V;
}
inline double component(const JointDof& dof, const Twist<double>& V) {
  return dot(dof.S.w, V.w) + dot(dof.S.v, V.v);
}

struct JointTraits {
  JointKind kind;
  std::string_view name;
  std::span<const JointCoordinate> coordinates;
  std::span<const JointDof> dofs;
  // true: an axis through a point places the joint. false: a point (spherical) or the link's frame
  // (floating) places it.
  bool axis;
  bool user_pitch;                  // true: the user sets the pitch of S
  bool actuated;                    // true: a motor may drive the joint
  const JointMaps* maps = nullptr;  // null for kinds with one dof
  int n_q = int(coordinates.size()), n_v = int(dofs.size());
  bool has_quaternion() const { return maps && maps->quaternion >= 0; }
};

const JointTraits& traits(JointKind kind);
std::optional<JointKind> joint_kind(std::string_view name);
std::vector<std::string> joint_kind_names();

// Returns X_PB0 Rot(z, angle) Trans(z, translation). Takes the sine and cosine of the angle, and
// the translation in m.
template <class T>
constexpr Pose<T> move_about_z(const Pose<T>& X_PB0, const T& sine, const T& cosine,
                               const T& translation) {
  const T* r = X_PB0.R.m;
  const Vec3<T>& p = X_PB0.p;
  return {{{r[0] * cosine + r[1] * sine, r[1] * cosine - r[0] * sine, r[2],
            r[3] * cosine + r[4] * sine, r[4] * cosine - r[3] * sine, r[5],
            r[6] * cosine + r[7] * sine, r[7] * cosine - r[6] * sine, r[8]}},
          {p.x + translation * r[2], p.y + translation * r[5], p.z + translation * r[8]}};
}

// X_J(q) of the kinds with several dof.
template <class T>
Pose<T> cylindrical_pose(const T* q) {
  using std::cos, std::sin;
  return move_about_z(Pose<T>::identity(), T(sin(q[0])), T(cos(q[0])), q[1]);
}
template <class T>
Pose<T> planar_pose(const T* q) {
  using std::cos, std::sin;
  return move_about_z(translation<T>({q[0], q[1], T(0)}), T(sin(q[2])), T(cos(q[2])), T(0));
}
template <class T>
Pose<T> spherical_pose(const T* q) {
  return {rotation(q[0], q[1], q[2], q[3]), {T(0), T(0), T(0)}};
}
template <class T>
Pose<T> floating_pose(const T* q) {
  return {rotation(q[3], q[4], q[5], q[6]), {q[0], q[1], q[2]}};
}

// Returns X_J(q) of a kind with several dof, for scalars other than double (JointMaps::pose).
template <class T>
Pose<T> pose_of_maps(JointKind kind, const T* q) {
  switch (kind) {
    case JointKind::cylindrical:
      return cylindrical_pose(q);
    case JointKind::planar:
      return planar_pose(q);
    case JointKind::spherical:
      return spherical_pose(q);
    case JointKind::floating:
      return floating_pose(q);
    case JointKind::fixed:
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::helical:
      break;
  }
  return Pose<T>::identity();
}

}  // namespace torsor
