#pragma once
// Options that override settings of a scene, shared by all commands that run scenes, and warnings
// about the result of a run.

#include <optional>
#include <string>

#include "torsor/run/experiment.hpp"

namespace CLI {
class App;
}

namespace torsor {
class Run;
}

namespace torsor::cli {

struct RunSettings {
  std::optional<std::string> solver = {}, constraint_solver = {}, integrator = {};
  std::optional<double> duration = {}, dt = {};  // in s
};

// Adds --solver, --constraint-solver, --integrator, --dt and --duration. `settings` must exist
// until the command line has been parsed.
void add_run_settings(CLI::App& command, RunSettings& settings);

// Returns the experiment with its values replaced by the settings that are given. Throws Error in
// these cases:
// - The integrator or the constraint solver is unknown.
// - dt or duration is not valid.
// - The time of a change in the experiment is not a multiple of dt.
Experiment with_settings(Experiment experiment, const RunSettings& settings);

// Returns one line per reason to doubt the accuracy of the finished run (ResolutionWatch,
// EnergyWatch).
std::vector<std::string> warnings_of(Run& run, const Experiment& experiment);

}  // namespace torsor::cli
