#include "torsor/validation/trial_kind.hpp"

#include <algorithm>

namespace torsor::validation {

namespace {

using Parameters = std::vector<Parameter>;

void make_solver(const Trial& trial, const Case& at, const Parameters& parameters) {
  (void)trial.registry().solver(trial.info().id, at.model, parameters);
}
void make_force(const Trial& trial, const Case& at, const Parameters& parameters) {
  (void)trial.registry().force(trial.info().id, at.model, parameters);
}
void make_trajectory(const Trial& trial, const Case& at, const Parameters& parameters) {
  (void)trial.registry().trajectory(trial.info().id, at.model, parameters);
}
void make_controller(const Trial& trial, const Case& at, const Parameters& parameters) {
  (void)Controller(trial.registry().object(trial.info().id, *at.model, parameters),
                   trial.dynamics(at));
}

}  // namespace

std::span<const TrialKind> trial_kinds() {
  static const TrialKind kinds[] = {
      {.name = "solver",
       .checks = {term_checks, solver_checks, derivative_checks, trace_checks},
       .is_timed = true,
       .is_of_motors = false,
       .make = make_solver,
       .add_calls = &HotCalls::add_solver},
      {.name = "force",
       .checks = {law_checks},
       .is_timed = false,
       .is_of_motors = false,
       .make = make_force,
       .add_calls = &HotCalls::add_force},
      {.name = "trajectory",
       .checks = {trajectory_checks},
       .is_timed = false,
       .is_of_motors = false,
       .make = make_trajectory,
       .add_calls = &HotCalls::add_trajectory},
      {.name = "controller",
       .checks = {},
       .is_timed = false,
       .is_of_motors = true,
       .make = make_controller,
       .add_calls = &HotCalls::add_controller}};
  return kinds;
}

const TrialKind& trial_kind(std::string_view id) {
  return *std::ranges::find(trial_kinds(), id.substr(0, id.find('.')), &TrialKind::name);
}

}  // namespace torsor::validation
