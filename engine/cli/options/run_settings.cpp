#include "torsor/cli/options/run_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "torsor/run/run.hpp"

namespace torsor::cli {

void add_run_settings(CLI::App& command, RunSettings& settings) {
  command.add_option("--solver", settings.solver, "solver plugin to use; by default, the scene's")
      ->type_name("ID");
  command
      .add_option("--constraint-solver", settings.constraint_solver,
                  "constraint solver plugin to use; by default, the scene's")
      ->type_name("ID");
  command
      .add_option("--integrator", settings.integrator,
                  fmt::format("integrator to use, one of {}; by default, the scene's",
                              fmt::join(integrator_names(), ", ")))
      ->type_name("NAME");
  command.add_option("--dt", settings.dt, "step, s; by default, the scene's")->type_name("S");
  command
      .add_option("--duration", settings.duration, "time to simulate, s; by default, the scene's")
      ->type_name("S");
}

namespace {

// Returns the smallest of 1, 2, 5, 10, 20, ... that is at least x. If x is rounded up in this way,
// the step dt / x has few decimals.
double round_number(double x) {
  for (double decade = 1;; decade *= 10)
    for (const double n : {decade, 2 * decade, 5 * decade})
      if (n >= x) return n;
}

// Returns advice on how to reduce a large energy error. An explicit integrator with a fixed step
// should make at least ten steps per time constant (1 / rate) of the fastest motion. With ten
// steps, rk4 loses 1e-7 of the energy of an oscillation per step.
std::string remedy(Simulation& simulation, const Experiment& experiment) {
  constexpr double resolved = 0.1;
  const std::string otherwise =
      "if the error does not shrink, a solver or a force is wrong: try another --solver, and "
      "`torsor validate` on your plugins";
  const auto with_step = [&](double parts) {
    return fmt::format("with --dt {}; {}", experiment.dt / parts, otherwise);
  };
  const IntegratorTraits& method = traits(experiment.integrator);
  if (method.amplifies_oscillations)
    return fmt::format(
        "'{}' adds energy to every oscillation: run it again with --integrator rk4; {}",
        method.name, otherwise);
  if (method.is_adaptive) return "Run it again with smaller rtol and atol; " + otherwise;
  const double rate = method.stability_limit > 0 ? simulation.fastest_rate().value_or(0) : 0,
               parts = rate * experiment.dt / resolved;
  if (parts > 2 && std::isfinite(parts))
    return fmt::format(
        "dt = {:g} s is too long for the fastest rate of the motion, {:.3g} 1/s: run it again {}",
        experiment.dt, rate, with_step(round_number(parts)));
  return "Run it again " + with_step(2);
}

}  // namespace

std::vector<std::string> warnings_of(Run& run, const Experiment& experiment) {
  std::vector<std::string> lines = run.resolution().warnings(run.simulation());
  const EnergyWatch& energy = run.energy();
  if (!energy.is_exceeded()) return lines;
  lines.push_back(
      fmt::format("the energy error reaches {:.3g} J at t = {:g} s, {:.1e} of the largest energy "
                  "or work, above the bound of {:g}: do not trust this result. {}. The scene's "
                  "energy_tolerance sets the bound",
                  energy.error(), energy.time(), energy.relative_error(), energy.tolerance(),
                  remedy(run.simulation(), experiment)));
  return lines;
}

}  // namespace torsor::cli
