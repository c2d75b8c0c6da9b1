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

Experiment with_settings(Experiment experiment, const RunSettings& settings) {
  if (settings.solver) experiment.solver = *settings.solver;
  if (settings.duration) experiment.duration = *settings.duration;
  if (settings.integrator) {
    const auto found = integrator(*settings.integrator);
    if (!found)
      throw Error(fmt::format("--integrator {}: there is no such integrator; use one of: {}{}",
                              *settings.integrator, fmt::join(integrator_names(), ", "),
                              did_you_mean(*settings.integrator, integrator_names())));
    experiment.integrator = *found;
  }
  if (settings.dt) {
    if (!(*settings.dt > 0) || !std::isfinite(*settings.dt))
      throw Error(fmt::format("--dt {:g}: it must be a positive number of seconds", *settings.dt));
    change_step(experiment, *settings.dt);
  }
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
