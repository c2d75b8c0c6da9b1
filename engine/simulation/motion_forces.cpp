// The forces of a motion: motors, springs, friction, loads and rotors.

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

// Writes the torques of the motors to tau_ and computes the rates of the controls' states.
void Motion::evaluate_motor_torques(double t, const double* theta, const double* memory,
                                    double* memory_dot) {
  std::copy(load_.tau.begin(), load_.tau.end(), tau_.begin());
  const bool has_motor_torques =
      controls_.size() > 0 || !load_.motor_tau.empty() || transmissions_.size() > 0;
  if (has_motor_torques) {
    std::fill(motor_tau_.begin(), motor_tau_.end(), 0.0);
    std::copy(load_.motor_tau.begin(), load_.motor_tau.end(), motor_tau_.begin());
  }
  if (controls_.size() > 0) {
    const int first = mechanism_.n_memory + applied_.n_x(),
              n_motor = int(mechanism_.motor_dof.size());
    controls_.add({t,
                   state().q(),
                   state().v,
                   {theta, size_t(n_motor)},
                   {u_.data() + mechanism_.n_v, size_t(n_motor)}},
                  control_, memory + first, {tau_, motor_tau_},
                  memory_dot ? memory_dot + first : nullptr);
  }
  if (has_motor_torques) transmissions_.add_motor_torques(motor_tau_, tau_);
  if (controls_.size() > 0) prescribed_.check_torque(tau_);
  if (load_.tau_of_time) load_.tau_of_time(t, tau_);
  if (transmissions_.has_limits()) transmissions_.limit(motor_rates(), tau_);
}

std::span<const double> Motion::motor_rates() {
  for (size_t c = 0; c < motor_rate_.size(); ++c)
    motor_rate_[c] = mechanism_.drive_ratio[c] * u_[size_t(mechanism_.driven[c])];
  return motor_rate_;
}

// Evaluates the transmissions that depend on q at the state that is set.
void Motion::update_transmissions() {
  if (!transmissions_.vary()) return;
  for (const auto& [friction, group, motor] : mechanism_.varying_frictions) {
    Row& row = mechanism_.frictions[friction].row;
    for (size_t i = 0; i < row.size(); ++i)
      row[i].factor = transmissions_.inverse(group)[motor * row.size() + i];
  }
}

bool Motion::evaluate_transmissions() {
  if (!transmissions_.vary()) return true;
  try {
    transmissions_.evaluate(state().q(), state().v);
  } catch (const Error& error) {
    load_failure_ = error.what();
    return !fails({TORSOR_INTERNAL});
  }
  update_transmissions();
  return true;
}

// Sets the forces to those of the motors and of the dampers of the joints, and the frictions to
// those of the dampers.
void Motion::set_motors_and_damping(const double* u) {
  const double *damping = model().damping.data(), *ratio = mechanism_.drive_ratio.data(),
               *tau = tau_.data();
  const int* driven = mechanism_.driven.data();
  double *f = f_.data(), *friction = friction_.data(), motors = 0, dampers = 0;
  for (int c = 0; c < mechanism_.n_v; ++c) {
    const double damped = damping[c] * u[c];
    f[c] = -damped;
    friction[c] = damped;
    dampers += damped * u[c];
  }
  for (int m = mechanism_.n_v; m < mechanism_.n_u; ++m) f[m] = friction[m] = 0;
  for (int c = 0; c < mechanism_.n_v; ++c) {
    const double force = ratio[c] * tau[c];
    f[driven[c]] += force;
    motors += force * u[driven[c]];
  }
  motor_power_ = motors;
  damping_power_ = dampers;
}

void Motion::add_springs(const double* theta, const double* u) {
  for (const SpringElement& spring : mechanism_.springs) {
    const double x = mechanism_.position(spring.row, q_.data(), theta) - spring.rest;
    const double rate = along(spring.row, u);
    push(spring.row, -(spring.stiffness + spring.cubic * x * x) * x - spring.damping * rate,
         f_.data());
    damping_power_ += spring.damping * rate * rate;
  }
  for (const PoseSpringElement& spring : mechanism_.pose_springs)
    spring.add_force(q_.data(), -1, f_.data());
  for (const auto& [row_a, row_b, stiffness] : mechanism_.couplings) {
    push(row_a, -stiffness * mechanism_.position(row_b, q_.data(), theta), f_.data());
    push(row_b, -stiffness * mechanism_.position(row_a, q_.data(), theta), f_.data());
  }
}

void Motion::add_friction(const double* u, const double* memory, double* memory_dot) {
  for (size_t i = 0; i < mechanism_.frictions.size(); ++i) {
    const FrictionElement& element = mechanism_.frictions[i];
    const Friction& law = element.law;
    const double s = along(element.row, u);
    double force = 0;
    if (law.law == Friction::Law::lugre) {
      const double z = memory[element.memory], zdot = s - law.bristle_stiffness * std::abs(s) * z /
                                                              dry_friction(law, std::abs(s));
      memory_dot[element.memory] = zdot;
      force = law.bristle_stiffness * z + law.bristle_damping * zdot + law.viscous * s;
    } else if (!element.can_stick()) {
      force = std::copysign(kinetic_friction(law, std::abs(s)), s);
    } else if (has_joint_impulses_) {
      force = friction_force_.empty() ? 0 : friction_force_[i];
    } else if (modes_[i] != 0) {
      force = modes_[i] * element.kinetic_friction(modes_[i] * s);
    }
    push(element.row, -force, f_.data());
    push(element.row, force, friction_.data());
    friction_power_ += force * s;
  }
}

// Applies the loads other than motor torques.
bool Motion::apply_forces(const double* memory, double* memory_dot, double* works) {
  const int n = mechanism_.n_memory;
  if (applied_.apply(now(), memory + n, f_.data(), memory_dot + n, works)) return true;
  load_failure_ = applied_.failure();
  return !fails({TORSOR_INTERNAL});
}

// Subtracts the Coriolis torques of rotors whose transmission depends on q.
void Motion::add_rotors() {
  if (!transmissions_.vary()) return;
  std::fill(rotor_tau_.begin(), rotor_tau_.end(), 0.0);
  transmissions_.add_rotor_coriolis(rotor_tau_.data());
  for (size_t c = 0; c < rotor_tau_.size(); ++c) f_[c] -= rotor_tau_[c];
}

}  // namespace torsor
