// Failures of a motion, and the sentences that explain them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/simulation/motion.hpp"

namespace torsor {

Status Motion::fail(const std::string& message) {
  load_failure_ = message;
  failure_ = {TORSOR_INTERNAL};
  return failure_;
}

Status Motion::fail_multipliers(Status status) {
  if (multiplier_solver_.has_plugin()) return fail(multiplier_solver_.explain(status));
  failure_ = status;
  return status;
}

bool Motion::fails(Status status, bool damped) {
  if (status) return false;
  failure_ = status;
  damped_failed_ = damped;
  bad_entry_ = -1;
  return true;
}

// Returns the first dof whose force is not finite, or -1.
int Motion::bad_torque() const {
  const auto end = f_.begin() + mechanism_.n_v;
  const auto bad = std::find_if_not(f_.begin(), end, [](double f) { return std::isfinite(f); });
  return bad == end ? -1 : int(bad - f_.begin());
}

std::string Motion::explain(Status status) const {
  if (!load_failure_.empty()) return load_failure_;
  if (const int dof = bad_torque(); bad_entry_ < 0 && dof >= 0)
    return fmt::format("the torque at joint '{}' is not a finite number",
                       model().joint_of_dof(dof).name);
  if (bad_entry_ < 0) return (damped_failed_ ? *plant().damped_solver : solver()).explain(status);
  const int n = mechanism_.n_u;
  if (const int state = bad_entry_ - layout_.first_memory() - mechanism_.n_memory; state >= 0)
    return fmt::format("state {} of the forces and controls is not a finite number", state);
  if (bad_entry_ >= layout_.first_memory())
    return fmt::format("the deflection of the bristles of joint '{}' is not a finite number",
                       model().joint_of_dof(bristle_dof(bad_entry_ - layout_.first_memory())).name);
  const int index = bad_entry_ % n;
  const bool motor = index >= mechanism_.n_v;
  const int dof = motor ? mechanism_.motor_dof[size_t(index - mechanism_.n_v)] : index;
  return fmt::format("the {} of {}joint '{}' is not a finite number",
                     bad_entry_ < n ? "position" : "velocity", motor ? "the motor of " : "",
                     model().joint_of_dof(dof).name);
}

int Motion::bristle_dof(int memory) const {
  for (const FrictionElement& friction : mechanism_.frictions)
    if (friction.memory == memory) return friction.dof;
  return 0;
}

}  // namespace torsor
