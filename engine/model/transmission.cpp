#include "torsor/model/transmission.hpp"

#include <algorithm>

namespace torsor {

const Motor& motor_of_dof(const Model& model, int dof) {
  for (const Transmission& group : model.transmissions)
    for (size_t k = 0; k < group.dofs.size(); ++k)
      if (group.dofs[k] == dof) return group.motors[k];
  return model.drives[size_t(dof)].motor;
}

void add_motor_torques(const Model& model, std::span<const double> motor_tau,
                       std::span<double> tau) {
  std::vector<double> added(motor_tau.size());
  for (size_t c = 0; c < added.size(); ++c)
    added[c] = model.drives[c].motor.gear_ratio * motor_tau[c];
  for (const Transmission& group : model.transmissions) {
    const size_t n = group.dofs.size();
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (size_t m = 0; m < n; ++m)
        sum += group.inverse[m * n + i] * motor_tau[size_t(group.dofs[m])];
      added[size_t(group.dofs[i])] = sum;
    }
  }
  for (size_t c = 0; c < added.size(); ++c) tau[c] += added[c];
}

// Equations: KHALIL 7.33.
void motor_torques(const Model& model, std::span<const double> tau, std::span<double> motor_tau) {
  for (size_t c = 0; c < tau.size(); ++c) motor_tau[c] = tau[c] / model.drives[c].motor.gear_ratio;
  for (const Transmission& group : model.transmissions) {
    const size_t n = group.dofs.size();
    for (size_t m = 0; m < n; ++m) {
      double sum = 0;
      for (size_t i = 0; i < n; ++i) sum += group.jacobian[i * n + m] * tau[size_t(group.dofs[i])];
      motor_tau[size_t(group.dofs[m])] = sum;
    }
  }
}

}  // namespace torsor
