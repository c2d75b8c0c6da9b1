// Values at the present state: energy, accelerations, torques and powers at the joints.

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/motion.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

Energy Simulation::energy() const {
  Energy out = torsor::energy(state(), mechanism(), now_);
  out.elastic += motion_->kept_energy(now_);
  return out;
}

void Simulation::evaluate() {
  require(motion_->accelerate(now_, time()));
}

std::span<const double> Simulation::acceleration() {
  evaluate();
  return motion_->acceleration().first(size_t(model().n_v));
}

std::span<const double> Simulation::torque() {
  return motion_->torque(time());
}

std::span<const double> Simulation::motor_torque() {
  motor_torques(model(), torque(), motor_tau_);
  return motor_tau_;
}

std::span<const double> Simulation::friction() {
  evaluate();
  return motion_->friction().first(size_t(model().n_v));
}

std::span<const double> Simulation::constraint() {
  evaluate();
  return motion_->constraint().first(size_t(model().n_v));
}

std::span<const double> Simulation::joint_torque() {
  const std::span<const double> vdot = acceleration();
  for (size_t k = 0; k < joint_tau_.size(); ++k)
    joint_tau_[k] = motion_->pushed()[k] + motion_->constraint()[k];
  for (const auto& [i, j, inertia] : mechanism().armatures) {
    joint_tau_[size_t(i)] -= inertia * vdot[size_t(j)];
    joint_tau_[size_t(j)] -= inertia * vdot[size_t(i)];
  }
  return joint_tau_;
}

Wrench<double> Simulation::pull_F_W() const {
  const std::optional<Pull>& pull = load().pull;
  if (!pull) return {};
  const Frame& frame = model().frames[size_t(model().frame(pull->frame))];
  return wrench_F_W(*pull, frame_pose(state(), frame), frame_twist(state(), frame));
}

Controls::Given Simulation::given(size_t control) {
  const size_t first = size_t(mechanism().n_memory) + motion_->forces_n_x();
  return motion_->controls().given(control, {time(), now_.q, now_.v, now_.motor_q, now_.motor_v},
                                   now_.held, now_.memory.data() + first);
}

Controls::Seen Simulation::control_measured(size_t k) {
  return motion_->controls().measured(k, {time(), now_.q, now_.v, now_.motor_q, now_.motor_v},
                                      now_.held);
}

Simulation::TorqueSplit Simulation::torque_split() {
  const size_t n = size_t(model().n_v);
  const std::span<const double> vdot = acceleration();
  double* part = split_.data();
  require(motion_->solver().torque_split(state(), vdot.data(),
                                         {part, part + n, part + 2 * n, part + 3 * n}));
  for (const auto& [i, j, inertia] : mechanism().armatures) {
    part[i] += inertia * vdot[size_t(j)];
    part[j] += inertia * vdot[size_t(i)];
  }
  return {{part, n}, {part + n, n}, {part + 2 * n, n}, {part + 3 * n, n}};
}

// Each power is a force times the rate along which it acts.
void Motion::joint_powers(std::span<double> motors, std::span<double> friction,
                          std::span<double> constraint) const {
  const size_t n = size_t(mechanism_.n_v);
  for (size_t c = 0; c < n; ++c) {
    motors[c] = tau_[c] * mechanism_.drive_ratio[c] * u_[size_t(mechanism_.driven[c])];
    friction[c] = -friction_[c] * u_[c];
    constraint[c] = constraint_[c] * u_[c];
  }
  for (size_t m = 0; m < mechanism_.motor_dof.size(); ++m) {
    const size_t c = size_t(mechanism_.motor_dof[m]);
    friction[c] -= friction_[n + m] * u_[n + m];
    constraint[c] += constraint_[n + m] * u_[n + m];
  }
  // The first index of a spring's row is the dof of the joint.
  for (const SpringElement& spring : mechanism_.springs) {
    const double rate = along(spring.row, u_.data());
    friction[size_t(spring.row[0].index)] -= spring.damping * rate * rate;
  }
}

Simulation::Powers Simulation::powers() {
  evaluate();
  const size_t n = size_t(model().n_v);
  const std::span<double> motors(powers_.data(), n), friction(powers_.data() + n, n),
      constraint(powers_.data() + 2 * n, n);
  motion_->joint_powers(motors, friction, constraint);
  return {motors, friction, constraint, motion_->powers()};
}

}  // namespace torsor
