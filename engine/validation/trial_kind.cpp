#include "torsor/validation/trial_kind.hpp"

#include <algorithm>

namespace torsor::validation {

// The rows are in KIND_trial.cpp.
TrialKind solver_trial(), force_trial(), trajectory_trial(), controller_trial(),
    constraint_solver_trial();

std::span<const TrialKind> trial_kinds() {
  static const TrialKind kinds[] = {solver_trial(), force_trial(), trajectory_trial(),
                                    controller_trial(), constraint_solver_trial()};
  return kinds;
}

const TrialKind& trial_kind(std::string_view id) {
  return *std::ranges::find(trial_kinds(), id.substr(0, id.find('.')), &TrialKind::name);
}

}  // namespace torsor::validation
