#pragma once
// The kinds of plugins from the validator's view, one row per kind.

#include <span>
#include <string_view>
#include <vector>

#include "torsor/validation/checks.hpp"
#include "torsor/validation/hot_call.hpp"

namespace torsor::validation {

struct TrialKind {
  std::string_view name;
  std::vector<Checks (*)()> checks;  // specific to this kind
  bool is_timed;                     // whether it has the speed check
  // true: plugins of this kind control motors. The test robots then have motors, and the host
  // provides their dynamics.
  bool is_of_motors;
  // Makes a prepared plugin with these parameters. Throws Error as the registry does.
  void (*make)(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters);
  // Appends calls of the hot functions at a state.
  void (HotCalls::*add_calls)(std::vector<HotCall>& out, const State& state, bool is_at_goal);
};

std::span<const TrialKind> trial_kinds();
// Returns the row for a plugin's id.
const TrialKind& trial_kind(std::string_view id);

}  // namespace torsor::validation
