#pragma once
// The table of the kinds of plugins for the validator, one row per kind.

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
  // Appends calls of the hot functions at a state.
  void (HotCalls::*add_calls)(std::vector<HotCall>& out, const State& state, bool is_at_goal);
};

std::span<const TrialKind> trial_kinds();
// Returns the row of the kind of a plugin id.
const TrialKind& trial_kind(std::string_view id);

}  // namespace torsor::validation
