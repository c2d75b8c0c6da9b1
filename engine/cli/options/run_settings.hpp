#pragma once
// Options that override the run settings of a scene, the same in every command that runs scenes,
// and warnings about the result.

#include <optional>
#include <string>

#include "torsor/run/experiment.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

struct RunSettings {
  std::optional<std::string> solver = {}, integrator = {};
  std::optional<double> duration = {}, dt = {};  // s
};

// Adds --solver, --integrator, --dt and --duration. The settings must outlive the parsing.
void add_run_settings(CLI::App& command, RunSettings& settings);

// Returns the experiment with the scene's values replaced by these settings. Throws Error for an
// unknown integrator, and for a dt if the time of a change in the experiment is not a multiple of
// dt.
Experiment with_settings(Experiment experiment, const RunSettings& settings);

// Returns one line for each reason not to trust the result of a run (ResolutionWatch, EnergyWatch).
std::vector<std::string> warnings_of(Run& run, const Experiment& experiment);

}  // namespace torsor::cli
