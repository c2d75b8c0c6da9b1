// Powers at the joints: each force times the rate along which it acts.

#include "torsor/simulation/motion.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

void Motion::joint_powers(std::span<double> motors, std::span<double> friction,
                          std::span<double> constraint) const {
  const size_t n = size_t(mechanism_.n_v);
  for (size_t c = 0; c < n; ++c) {
    motors[c] = tau_[c] * mechanism_.drive_ratio[c] * u_[size_t(mechanism_.driven[c])];
    friction[c] = -friction_[c] * u_[c];
    constraint[c] = constraint_[c] * u_[c];
  }
  for (size_t m = 0; m < mechanism_.motor_column.size(); ++m) {
    const size_t c = size_t(mechanism_.motor_column[m]);
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
