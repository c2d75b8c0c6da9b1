#pragma once
// Springs of joints whose q contains a quaternion: spherical and floating. With the pose X_J(q) =
// (R, p) of the joint (joint.hpp), the rest pose X_J(q_0) = (R_0, p_0), and the body-fixed twist
// (w, v) of the joint:
//
//   U = 1/2 k_a |phi|^2 + 1/2 k_l |p - p_0|^2,   R = R_0 exp(phi~), |phi| <= pi
//   phi_dot = dexp_(-phi)^-1 w,   p_dot = R v
//
// dexp_(-phi)^-1 w - w is a sum of products that begin with phi x, so that phi . phi_dot = phi . w:
//
//   U_dot = k_a phi . w + k_l e . v,   e = R^T (p - p_0)
//
// The torque and the force of the spring along (w, v) are therefore -k_a phi and -k_l e. In the
// axes of the joint, the force is -k_l (p - p_0). Where |phi| = pi, U is continuous, but the torque
// changes its sign. Simulations do not locate this instant: a step of fixed length across it has an
// energy error that falls only in proportion to dt, with every integrator. For a ball of 0.1 kg m^2
// that spins at 30 rad/s on 5 N m/rad, rk4 at dt = 1e-3 s has an error of 0.44 J in 3 s; without
// half turns, it is 1e-11 J.

#include <optional>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// The spring of a joint of a model. The arguments q [n_q], v and vdot [n_v] are those of the model.
// A deflection is the pair (phi, e), rad and m, in body axes.
struct PoseSpringElement {
  const JointTraits* kind;
  int q_index, v_index;
  double angular, linear;    // k_a, N m/rad, and k_l, N/m
  std::vector<double> rest;  // q of the joint at rest; its quaternion has norm 1
  Vec3<double> p_0;

  Twist<double> deflection(const double* q) const;
  // Returns U, J.
  double energy(const double* q) const;
  // Adds factor * (k_a phi, k_l e) to the entries of the joint in f [n_v]. The factor of the forces
  // of the spring is -1.
  void add_force(const double* q, double factor, double* f) const;
  // Adds the first and the second time derivative of (k_a phi, k_l e) to f_dot and f_ddot [n_v].
  void add_force_rates(const double* q, const double* v, const double* vdot, double* f_dot,
                       double* f_ddot) const;

 private:
  void add(const Twist<double>& deflection, double factor, double* f) const;
};

// Returns the springs of all joints with a PoseSpring.
std::vector<PoseSpringElement> pose_springs(const Model& model);

// Returns the reason why a joint of this kind cannot have the spring, or nullopt if it can. The
// text continues a sentence that begins with the name of a joint.
std::optional<std::string> defect(const PoseSpring& spring, const JointTraits& kind);

}  // namespace torsor
