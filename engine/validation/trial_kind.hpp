#pragma once
// The table of the kinds of plugins for the validator, one row per kind. Each row is in a file of
// its own, KIND_trial.cpp.

#include <span>
#include <string_view>
#include <vector>

#include "torsor/validation/checks.hpp"
#include "torsor/validation/hot_call.hpp"

namespace torsor::validation {

struct TrialKind {
  std::string_view name;
  std::vector<Checks (*)()> checks;  // the checks that apply to this kind only
  bool is_timed;                     // true if the speed check applies
  // True if plugins of this kind control motors. The test robots then have motors, and the host
  // provides the dynamics service.
  bool is_of_motors;
  // Creates and prepares a plugin with these parameters, then destroys it. Throws UnsupportedModel
  // if the plugin does not support the robot, and Error if it rejects the parameters or fails.
  void (*make)(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters);
  // Adds the hot functions of calls.plugin() at a state. is_at_goal: whether a reference of the
  // joints equals the state and is at rest.
  void (*add_calls)(HotCalls& calls, const State& state, bool is_at_goal);
};

std::span<const TrialKind> trial_kinds();
// Returns the row of the kind of a plugin id.
const TrialKind& trial_kind(std::string_view id);

}  // namespace torsor::validation
