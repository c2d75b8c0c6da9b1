#include "torsor/model/joint.hpp"

namespace torsor {

namespace {

Quaternion quaternion_at(const double* q) {
  return {q[0], q[1], q[2], q[3]};
}
void put(const Quaternion& r, double* out) {
  out[0] = r.w;
  out[1] = r.x;
  out[2] = r.y;
  out[3] = r.z;
}

void integrate_cylindrical(const double* q, const double* d, double* out) {
  for (int k = 0; k < 2; ++k) out[k] = q[k] + d[k];
}
void difference_cylindrical(const double* q0, const double* q1, double* d) {
  for (int k = 0; k < 2; ++k) d[k] = q1[k] - q0[k];
}

// The angle is not reduced modulo 2 pi, so it counts turns.
void integrate_planar(const double* q, const double* d, double* out) {
  const Pose<double> X = planar_pose(q) * exp_se3(Twist<double>{{0, 0, d[0]}, {d[1], d[2], 0}});
  out[2] = q[2] + d[0];
  out[0] = X.p.x;
  out[1] = X.p.y;
}
void difference_planar(const double* q0, const double* q1, double* d) {
  const Vec3<double> p_0 = inverse(planar_pose(q0)) * Vec3<double>{q1[0], q1[1], 0};
  d[0] = q1[2] - q0[2];
  const Vec3<double> v = left_jacobian_inverse({0, 0, d[0]}, p_0);
  d[1] = v.x;
  d[2] = v.y;
}

void integrate_spherical(const double* q, const double* d, double* out) {
  put(normalised(quaternion_at(q) * exp_quaternion({d[0], d[1], d[2]})), out);
}
void difference_spherical(const double* q0, const double* q1, double* d) {
  const Vec3<double> u = rotation_vector(conjugate(quaternion_at(q0)) * quaternion_at(q1));
  d[0] = u.x;
  d[1] = u.y;
  d[2] = u.z;
}

void integrate_floating(const double* q, const double* d, double* out) {
  const Pose<double> X = floating_pose(q);
  const Vec3<double> u{d[0], d[1], d[2]}, p = X * left_jacobian(u, {d[3], d[4], d[5]});
  integrate_spherical(q + 3, d, out + 3);
  out[0] = p.x;
  out[1] = p.y;
  out[2] = p.z;
}
void difference_floating(const double* q0, const double* q1, double* d) {
  difference_spherical(q0 + 3, q1 + 3, d);
  const Vec3<double> p_0 = inverse(floating_pose(q0)) * Vec3<double>{q1[0], q1[1], q1[2]};
  const Vec3<double> v = left_jacobian_inverse({d[0], d[1], d[2]}, p_0);
  d[3] = v.x;
  d[4] = v.y;
  d[5] = v.z;
}

constexpr JointMaps cylindrical{cylindrical_pose<double>, integrate_cylindrical,
                                difference_cylindrical};
constexpr JointMaps planar{planar_pose<double>, integrate_planar, difference_planar};
constexpr JointMaps spherical{spherical_pose<double>, integrate_spherical, difference_spherical, 0};
constexpr JointMaps floating{floating_pose<double>, integrate_floating, difference_floating, 3};

using Coordinate = JointCoordinate;
constexpr Coordinate angle{"angle", "rad"}, x{"x", "m"}, y{"y", "m"}, z{"z", "m"};
constexpr Coordinate qw{"qw", "1"}, qx{"qx", "1"}, qy{"qy", "1"}, qz{"qz", "1"};
constexpr Coordinate q_turn[] = {angle}, q_slide[] = {z}, q_cylindrical[] = {angle, z},
                     q_planar[] = {x, y, angle}, q_spherical[] = {qw, qx, qy, qz},
                     q_floating[] = {x, y, z, qw, qx, qy, qz};

constexpr JointDof wx{"wx", {{1, 0, 0}, {0, 0, 0}}}, wy{"wy", {{0, 1, 0}, {0, 0, 0}}},
    wz{"wz", {{0, 0, 1}, {0, 0, 0}}}, vx{"vx", {{0, 0, 0}, {1, 0, 0}}},
    vy{"vy", {{0, 0, 0}, {0, 1, 0}}}, vz{"vz", {{0, 0, 0}, {0, 0, 1}}};
constexpr JointDof rate_of(int coordinate, JointDof dof) {
  dof.coordinate = coordinate;
  return dof;
}
// Equations: MK 7.
constexpr JointDof v_turn[] = {rate_of(0, wz)}, v_slide[] = {rate_of(0, vz)},
                   v_cylindrical[] = {rate_of(0, wz), rate_of(1, vz)},
                   v_planar[] = {rate_of(2, wz), vx, vy}, v_spherical[] = {wx, wy, wz},
                   v_floating[] = {wx, wy, wz, vx, vy, vz};

constexpr JointTraits kinds[] = {
    {JointKind::fixed, "fixed", {}, {}, false, false, false},
    {JointKind::revolute, "revolute", q_turn, v_turn, true, false, true},
    {JointKind::prismatic, "prismatic", q_slide, v_slide, true, false, true},
    {JointKind::helical, "helical", q_turn, v_turn, true, true, true},
    {JointKind::cylindrical, "cylindrical", q_cylindrical, v_cylindrical, true, false, true,
     &cylindrical},
    {JointKind::planar, "planar", q_planar, v_planar, true, false, true, &planar},
    {JointKind::spherical, "spherical", q_spherical, v_spherical, false, false, true, &spherical},
    {JointKind::floating, "floating", q_floating, v_floating, false, false, false, &floating},
};
static_assert(
    [] {
      for (size_t k = 0; k < std::size(kinds); ++k)
        if (size_t(kinds[k].kind) != k) return false;
      return std::size(kinds) == size_t(JointKind::floating) + 1;
    }(),
    "each joint kind has a row, at its place");
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
