#pragma once
// Options that override settings of a scene, shared by all commands that run scenes, and warnings
// about the result of a run.

#include <string>
#include <vector>

#include "torsor/run/run_settings.hpp"

namespace CLI {
class App;
}

namespace torsor {
class Run;
}

namespace torsor::cli {

// Adds --solver, --constraint-solver, --integrator, --dt and --duration. `settings` must exist
// until the command line has been parsed.
void add_run_settings(CLI::App& command, RunSettings& settings);

// Returns one line per reason to doubt the accuracy of the finished run (ResolutionWatch,
// EnergyWatch).
std::vector<std::string> warnings_of(Run& run, const Experiment& experiment);

}  // namespace torsor::cli
