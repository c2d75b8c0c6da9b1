#pragma once
// Mechanism: flat lists of everything that acts on the joints of a model, except its bodies. The
// lists refer to u = (v, motor rates): the n_v dof of the model, then the motors of its elastic
// joints.
//
// The equations of motion, where p denotes the coordinates (q, theta) that belong to the scalar
// entries of u:
//   M(q) vdot + C v + g = B tau + J_v^T f + sum J_F^T F + J_v,held^T lambda
//   I_a theta_ddot      = tau_m + J_m^T f + J_m,held^T lambda          (KHALIL 7.35a, 7.35b)
// - f: forces of springs, dampers and sliding friction, each along a row of J. The springs of
//   spherical and floating joints act along all dof of their joint (pose_spring.hpp).
// - lambda: forces of static friction, closed stops and mimic joints, such that J_held udot = 0
// The mass matrix of u is diag(M, I_a). M includes the full armature of coupled transmissions.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "torsor/constraints/row.hpp"
#include "torsor/model/pose_spring.hpp"

namespace torsor {

// A spring with a damper along a row. The force is -(k x + k_3 x^3 + d xdot), where x = row . p -
// rest.
struct SpringElement {
  Row row;
  double rest = 0, stiffness = 0, cubic = 0, damping = 0;
};
// An entry off the diagonal of the stiffness matrix of elastic joints. Its energy is k x_a x_b,
// where x_a and x_b are the deflections row . p of two springs (KHALIL 7.34).
struct CouplingElement {
  Row row_a, row_b;
  double stiffness;
};
struct FrictionElement {
  Row row;
  Friction law;
  int memory = -1;  // index of the bristle deflection (LuGre only)
  int dof;          // dof of the joint that contains the friction
  // Friction of the joint's rigid motor, if joint and motor both have static friction. Both have
  // the same rate, so they stick or slip together.
  std::optional<Friction> motor_law = std::nullopt;
  bool can_stick() const;  // true: the law has static friction
  // Return the kinetic_friction() and static_friction() of the joint and its motor_law together.
  double kinetic_friction(double s) const;
  double static_friction() const;
  bool varies = false;  // true: the factors of the row depend on q
};
// A stop: side (p - limit) >= 0, where side is +1 for a lower limit and -1 for an upper limit. The
// rate of its row is that of this distance.
struct StopElement {
  Row row;
  double limit, restitution;
  int index() const { return row[0].index; }
  double side() const { return row[0].factor; }
};
struct MimicElement {
  Row row;  // row . p = offset
  double offset;
};

// A symmetric pair of off-diagonal entries that a coupled transmission adds to the mass matrix of
// the model.
struct ArmatureElement {
  int i, j;
  double inertia;
};

// The friction of a motor whose transmission depends on q. Its row is a row of J_qm^-1.
struct VaryingFriction {
  size_t friction;      // index in Mechanism::frictions
  size_t group, motor;  // index in Model::transmissions, and of the motor in it
};

struct Mechanism {
  explicit Mechanism(const Model& model);

  int n_v, n_u, n_memory = 0;
  // [n_v] index in q of the coordinate of each dof; -1 if the dof has no scalar coordinate
  std::vector<int> coordinate;
  std::vector<int> motor_dof;         // [n_u - n_v]
  std::vector<double> motor_inertia;  // [n_u - n_v] I_a, kg m^2 or kg
  std::vector<int> driven;            // [n_v] index in u at which the motor torque of each dof acts
  // [n_v] rate of the dof's motor, seen from the joint side of the gear, divided by u[driven]
  std::vector<double> drive_ratio;
  std::vector<SpringElement> springs;
  std::vector<PoseSpringElement> pose_springs;
  std::vector<FrictionElement> frictions;
  std::vector<StopElement> stops;
  std::vector<MimicElement> mimics;
  std::vector<CouplingElement> couplings;
  std::vector<ArmatureElement> armatures;
  std::vector<int> varying_dofs;  // dof of transmissions that depend on q
  std::vector<VaryingFriction> varying_frictions;

  // Returns coordinate p[index]. q is [n_q] and theta is [n_u - n_v].
  double position(int index, const double* q, const double* theta) const {
    return index < n_v ? q[coordinate[index]] : theta[index - n_v];
  }
  double position(const Row& row, const double* q, const double* theta) const;
  // Returns the distance of a coordinate to its stop, negative beyond the stop.
  double distance(const StopElement& stop, const double* q, const double* theta) const {
    return stop.side() * (position(stop.index(), q, theta) - stop.limit);
  }

  // A guard is a friction or a stop: frictions first. Returns its constraint.
  size_t n_guards() const { return frictions.size() + stops.size(); }
  bool is_stop(size_t guard) const { return guard >= frictions.size(); }
  const StopElement& stop(size_t guard) const { return stops[guard - frictions.size()]; }
  const Row& guard_row(size_t guard) const {
    return is_stop(guard) ? stop(guard).row : frictions[guard].row;
  }
  ConstraintRow guard_constraint(size_t guard) const;

 private:
  void add_friction(const Friction& law, const Row& row, int dof);
  void add_transmissions(const Model& model);
};

// Magnitudes of the friction force F (model/drive.hpp), N m or N:
//   dry_friction      the part that is not viscous: F_c, or G with its decay
//   kinetic_friction  F at a sliding rate s >= 0
//   static_friction   the maximum static friction
// An integrator's trial step may pass through zero rate. For s < 0 the law therefore continues
// smoothly and stays bounded.
double dry_friction(const Friction& law, double s);
double kinetic_friction(const Friction& law, double s);
double static_friction(const Friction& law);

}  // namespace torsor
