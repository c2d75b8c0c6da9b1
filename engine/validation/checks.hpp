#pragma once
// The checks of a plugin. Each check is a row of a table and runs in its own process.

#include <string>
#include <vector>

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

struct Check {
  std::string name, group;
  // Returns the result in a few words. Throws Failed or NotApplicable.
  std::function<std::string(Trial&)> run;
};
using Checks = std::vector<Check>;

Checks file_checks();        // the file, and objects of any kind
Checks term_checks();        // solvers: each term of the equation of motion
Checks solver_checks();      // solvers: laws and agreement
Checks derivative_checks();  // solvers that offer derivatives
Checks trace_checks();       // solvers that report their recursion
Checks law_checks();         // forces and controllers
Checks trajectory_checks();  // trajectories
Checks call_checks();        // memory and threads, hot functions of any kind
Check answers_check();       // any kind; the other checks depend on it
Check speed_check();         // solvers; measures only, so it always passes

}  // namespace torsor::validation
