#include "torsor/run/run_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/host/registry.hpp"

namespace torsor {

namespace {

// Sets dt and duration of the experiment from the settings. Throws Error, with the settings in the
// message, if the values are invalid or do not fit together.
void set_times(Experiment& experiment, const RunSettings& settings, const char* prefix) {
  std::string options;
  if (settings.dt) options += fmt::format("{}dt {:g} ", prefix, *settings.dt);
  if (settings.duration) options += fmt::format("{}duration {:g} ", prefix, *settings.duration);
  if (options.empty()) return;
  options.pop_back();
  if (settings.dt && !(*settings.dt > 0 && std::isfinite(*settings.dt)))
    throw Error(options + ": the step must be a positive number of seconds");
  if (settings.duration) experiment.duration = *settings.duration;
  try {
    if (settings.dt) change_step(experiment, *settings.dt);
    step_count(experiment.duration, experiment.dt, "the duration");
    if (experiment.record_interval != 0)
      step_count(experiment.record_interval, experiment.dt, "the record_interval of the scene");
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", options, error.what()));
  }
}

}  // namespace

Experiment with_settings(Experiment experiment, const RunSettings& settings, const char* prefix) {
  if (settings.solver) experiment.solver = *settings.solver;
  if (settings.constraint_solver) {
    try {
      experiment.constraint_solver = {
          experiment.plugins->find<ConstraintSolver>(*settings.constraint_solver).id};
    } catch (const Error& error) {
      throw Error(fmt::format("{}constraint-solver {}: {}", prefix, *settings.constraint_solver,
                              error.what()));
    }
  }
  if (settings.integrator) {
    const auto found = integrator(*settings.integrator);
    if (!found)
      throw Error(fmt::format("{}integrator {}: there is no such integrator; use one of: {}{}",
                              prefix, *settings.integrator, fmt::join(integrator_names(), ", "),
                              did_you_mean(*settings.integrator, integrator_names())));
    experiment.integrator = *found;
  }
  set_times(experiment, settings, prefix);
  return experiment;
}

}  // namespace torsor
