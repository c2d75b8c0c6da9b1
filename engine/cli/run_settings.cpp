#include "torsor/cli/run_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "torsor/model/error.hpp"

namespace torsor::cli {

void add_run_settings(CLI::App& command, RunSettings& settings) {
  command.add_option("--solver", settings.solver, "solver plugin to use; by default, the scene's")
      ->type_name("ID");
  command
      .add_option("--integrator", settings.integrator,
                  fmt::format("integrator to use, one of {}; by default, the scene's",
                              fmt::join(integrator_names(), ", ")))
      ->type_name("NAME");
  command.add_option("--dt", settings.dt, "step, s; by default, the scene's")->type_name("S");
  command.add_option("--duration", settings.duration, "time to simulate, s; by default, the scene's")
      ->type_name("S");
}

namespace {

// Sets the step and the duration. Throws Error that names the options if they do not fit together.
void set_times(Experiment& experiment, const RunSettings& settings) {
  std::string options;
  if (settings.dt) options += fmt::format("--dt {:g} ", *settings.dt);
  if (settings.duration) options += fmt::format("--duration {:g} ", *settings.duration);
  if (options.empty()) return;
  options.pop_back();
  if (settings.dt && !(*settings.dt > 0 && std::isfinite(*settings.dt)))
    throw Error(options + ": the step must be a positive number of seconds");
  if (settings.duration) experiment.duration = *settings.duration;
  try {
    if (settings.dt) change_step(experiment, *settings.dt);
    whole_steps(experiment.duration, experiment.dt, "the duration");
    if (experiment.record_interval != 0)
      whole_steps(experiment.record_interval, experiment.dt, "the record interval");
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", options, error.what()));
  }
}

}  // namespace

Experiment with_settings(Experiment experiment, const RunSettings& settings) {
  if (settings.solver) experiment.solver = *settings.solver;
  if (settings.integrator) {
    const auto found = integrator(*settings.integrator);
    if (!found)
      throw Error(fmt::format("--integrator {}: there is no such integrator; use one of: {}{}",
                              *settings.integrator, fmt::join(integrator_names(), ", "),
                              did_you_mean(*settings.integrator, integrator_names())));
    experiment.integrator = *found;
  }
  set_times(experiment, settings);
  return experiment;
}

std::string energy_warning(const Run& run, const Experiment& experiment) {
  const EnergyWatch& energy = run.energy();
  if (!energy.is_exceeded()) return "";
  const std::string smaller = is_adaptive(experiment.integrator)
                                  ? std::string("with smaller rtol and atol")
                                  : fmt::format("with --dt {:g}", experiment.dt / 2);
  return fmt::format(
      "the energy error reaches {:.3g} J at t = {:g} s, {:.1e} of the largest energy or work, above the "
      "bound of "
      "{:g}: do not trust this result. Run it again {}; if the error does not shrink, a solver or a force is "
      "wrong: try another --solver, and `torsor validate` on your plugins. The scene's energy_tolerance sets "
      "the "
      "bound",
      energy.error(), energy.time(), energy.relative_error(), energy.tolerance(), smaller);
}

}  // namespace torsor::cli
