#pragma once
// The checks of a plugin: one table row per check. Each check runs in its own process.

#include <string>
#include <vector>

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

struct Check {
  std::string name, group;
  // Runs the check and returns its result in a few words. Throws Failed or NotApplicable.
  std::function<std::string(Trial&)> run;
};
using Checks = std::vector<Check>;

Checks file_checks();        // the file, and plugin objects of any kind
Checks term_checks();        // solvers: each term of the equation of motion
Checks solver_checks();      // solvers: laws of mechanics, and agreement with another solver
Checks derivative_checks();  // solvers that offer derivatives
Checks trace_checks();       // solvers that offer a trace
Checks call_checks();        // hot functions of any kind: memory, threads, hidden state
Check answers_check();       // any kind; runs first, because the other checks depend on it
Check speed_check();         // solvers; only a measurement, which always passes

}  // namespace torsor::validation
