#pragma once
// What acts on the joints of a model beside its bodies, as flat lists over u = (v, motor rates):
// n_v columns of the model, then the motors of its elastic joints.
//
// The equations of motion, with p the coordinates that go with u where these are scalars (q,
// theta):
//   M(q) vdot + C v + g = B tau + J_v^T f + sum J_F^T F + J_v,held^T lambda
//   I_a theta_ddot      = tau_m + J_m^T f + J_m,held^T lambda KHALIL 7.35
// f: of springs, dampers and sliding friction, each along a row of J; lambda: what holds stiction,
// stops and mimicry, such that J_held udot = 0. The mass matrix of u is diag(M, I_a), M with the
// full armature of coupled transmissions.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// A linear form over u: its rate is sum factor u[index]; a force f along it is factor f on each
// u[index].
struct Term {
  int index;
  double factor;
};
using Row = std::vector<Term>;

inline double along(const Row& row, const double* u) {
  double sum = 0;
  for (const auto& [index, factor] : row) sum += factor * u[index];
  return sum;
}
inline void push(const Row& row, double force, double* f) {
  for (const auto& [index, factor] : row) f[index] += factor * force;
}

// -(k x + k_3 x^3 + d xdot) along a row, x = row . p - rest
struct SpringElement {
  Row row;
  double rest = 0, stiffness = 0, cubic = 0, damping = 0;
};
struct FrictionElement {
  Row row;
  Friction law;
  int memory = -1;  // of the bristles of lugre
  int column;       // of the joint it is in
  // Of the joint's rigid motor, where both can hold: at one rate both do, or both slide.
  std::optional<Friction> motor_law = std::nullopt;
  bool holds() const;
  double sliding(double s) const;  // of both, as sliding_friction() and holding_friction()
  double holding() const;
};
// side (p - limit) >= 0: a lower limit has side +1, an upper one -1.
struct StopElement {
  int index;
  double side, limit, restitution;
};
struct MimicElement {
  Row row;  // row . p = offset
  double offset;
};

// An entry, and its mirror, of the mass matrix, which coupled transmissions add to that of the
// model.
struct ArmatureElement {
  int i, j;
  double inertia;
};

// |torque| <= limit, and where it drives at a speed s, |torque| <= stall (1 - s / speed), 0 at the
// least.
struct ClampElement {
  int column;
  double limit, stall, speed;
  double most(double torque, double rate) const;  // in the direction of the torque
  double of(double torque, double rate) const;
};

struct Mechanism {
  explicit Mechanism(const Model& model);

  int n_v, n_u, n_memory = 0;
  // [n_v] entry of q of a column, -1 where it has none of its own.
  std::vector<int> coordinate;
  std::vector<int> motor_column;      // [n_u - n_v]
  std::vector<double> motor_inertia;  // [n_u - n_v] I_a, kg m^2 or kg
  std::vector<int> driven;            // [n_v] index in u of what a column's motor moves
  // [n_v] rate of the column's motor, on the joint's side of the gear, by that of u[driven].
  std::vector<double> drive_ratio;
  std::vector<SpringElement> springs;
  std::vector<FrictionElement> frictions;
  std::vector<StopElement> stops;
  std::vector<MimicElement> mimics;
  std::vector<ArmatureElement> armatures;
  std::vector<ClampElement> clamps;

  // p[index], of q [n_q] and theta [n_u - n_v]
  double position(int index, const double* q, const double* theta) const {
    return index < n_v ? q[coordinate[index]] : theta[index - n_v];
  }
  double position(const Row& row, const double* q, const double* theta) const;

 private:
  void add_friction(const Friction& law, const Row& row, int column);
  void add_clamp(const Motor& motor, const Joint& joint, int column);
  void add_transmissions(const Model& model);
};

// F of sliding at a rate s >= 0, and at rest the largest that holds (model/drive.hpp). s < 0
// continues it smoothly, far beyond with a bound: where a trial of an integrator steps over the
// standstill. F_c, or G with its decay: what is not viscous.
double dry_friction(const Friction& law, double s);
double sliding_friction(const Friction& law, double s);
double holding_friction(const Friction& law);

}  // namespace torsor
