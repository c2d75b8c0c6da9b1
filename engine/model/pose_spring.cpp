#include "torsor/model/pose_spring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/spatial/dexp_slope.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

bool slides(const JointTraits& kind) {
  return !std::ranges::all_of(kind.dofs, &JointDof::turns);
}

Quaternion quaternion_of(const JointTraits& kind, const std::vector<double>& q) {
  const double* r = q.data() + kind.maps->quaternion;
  return {r[0], r[1], r[2], r[3]};
}

// Returns the neutral q of a joint: zeros, and the identity quaternion.
std::vector<double> neutral_of(const JointTraits& kind) {
  std::vector<double> out(size_t(kind.n_q), 0.0);
  out[size_t(kind.maps->quaternion)] = 1;
  return out;
}

}  // namespace

Twist<double> PoseSpringElement::deflection(const double* q) const {
  double d[6];
  kind->maps->difference(rest.data(), q + q_index, d);
  const Pose<double> X = kind->maps->pose(q + q_index);
  return {joint_twist(kind->dofs, d).w, transpose_times(X.R, X.p - p_0)};
}

double PoseSpringElement::energy(const double* q) const {
  const Twist<double> x = deflection(q);
  return 0.5 * (angular * dot(x.w, x.w) + linear * dot(x.v, x.v));
}

void PoseSpringElement::add(const Twist<double>& x, double factor, double* f) const {
  const Twist<double> force{factor * angular * x.w, factor * linear * x.v};
  for (int k = 0; k < kind->n_v; ++k) f[v_index + k] += component(kind->dofs[size_t(k)], force);
}

void PoseSpringElement::add_force(const double* q, double factor, double* f) const {
  add(deflection(q), factor, f);
}

// phi_ddot = dexp_(-phi)^-1 wdot + (d/dt dexp_(-phi)^-1) w
// e_dot    = v - w x e,   e_ddot = vdot - wdot x e - w x e_dot
void PoseSpringElement::add_force_rates(const double* q, const double* v, const double* vdot,
                                        double* f_dot, double* f_ddot) const {
  const Twist<double> x = deflection(q), V = joint_twist(kind->dofs, v + v_index),
                      Vdot = joint_twist(kind->dofs, vdot + v_index);
  const Vec3<double> none{0, 0, 0};
  const Twist<double> phi{x.w, none}, w{V.w, none}, phi_dot = dexp_inverse(phi, w);
  const Vec3<double> e_dot = V.v - cross(V.w, x.v);
  add({phi_dot.w, e_dot}, 1, f_dot);
  add({dexp_inverse(phi, {Vdot.w, none}).w + dexp_inverse_slope(phi, phi_dot, w).w,
       Vdot.v - cross(Vdot.w, x.v) - cross(V.w, e_dot)},
      1, f_ddot);
}

std::vector<PoseSpringElement> pose_springs(const Model& model) {
  std::vector<PoseSpringElement> out;
  for (const Joint& joint : model.joints) {
    if (!joint.spring) continue;
    const JointTraits& kind = traits(joint.kind);
    const auto& [angular, linear, given] = *joint.spring;
    std::vector<double> rest = given.empty() ? neutral_of(kind) : given;
    const Quaternion r = normalised(quaternion_of(kind, rest));
    std::ranges::copy(std::initializer_list<double>{r.w, r.x, r.y, r.z},
                      rest.begin() + kind.maps->quaternion);
    const Vec3<double> p_0 = kind.maps->pose(rest.data()).p;
    out.push_back({&kind, joint.q_index, joint.v_index, angular, linear, std::move(rest), p_0});
  }
  return out;
}

std::optional<std::string> defect(const PoseSpring& spring, const JointTraits& kind) {
  const auto& [angular, linear, rest] = spring;
  if (!kind.has_quaternion())
    return fmt::format(
        "it is {} and has the spring of a joint with a quaternion; give its drive "
        "the spring",
        kind.name);
  for (const double stiffness : {angular, linear})
    if (!(stiffness >= 0) || std::isinf(stiffness))
      return fmt::format(
          "the stiffness of the spring is {}; it must be a finite number, not "
          "negative",
          stiffness);
  if (linear != 0 && !slides(kind))
    return fmt::format(
        "the stiffness of the spring is {} N/m, but a {} joint only turns; remove it", linear,
        kind.name);
  if (rest.empty()) return std::nullopt;
  if (int(rest.size()) != kind.n_q)
    return fmt::format(
        "the rest position of the spring has {} numbers; give {}, the q of a {} "
        "joint",
        rest.size(), kind.n_q, kind.name);
  if (!std::ranges::all_of(rest, [](double x) { return std::isfinite(x); }))
    return std::string("the rest position of the spring has a value that is not a finite number");
  constexpr double allowed = 0.01;  // as for the q of a state, see normalise()
  if (const double size = norm(quaternion_of(kind, rest)); std::abs(size - 1) > allowed)
    return fmt::format(
        "the quaternion in the rest position of the spring has the norm {}; it must "
        "be 1",
        size);
  return std::nullopt;
}

}  // namespace torsor
