#pragma once
// The kinds of plugins as the validator tests them, one row each.

#include <span>
#include <string_view>
#include <vector>

#include "torsor/validation/checks.hpp"
#include "torsor/validation/hot_call.hpp"

namespace torsor::validation {

struct TrialKind {
  std::string_view name;
  std::vector<Checks (*)()> checks;  // of this kind alone
  bool is_timed;                     // it has the speed check
  // It controls motors: its robots have motors, and the host provides their dynamics.
  bool is_of_motors;
  // Makes a prepared plugin with these parameters. Throws Error as the registry does.
  void (*make)(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters);
  // Appends calls of the hot functions in a state.
  void (HotCalls::*add_calls)(std::vector<HotCall>& out, const State& state, bool is_at_goal);
};

std::span<const TrialKind> trial_kinds();
// Returns the row of a plugin's id.
const TrialKind& trial_kind(std::string_view id);

}  // namespace torsor::validation
