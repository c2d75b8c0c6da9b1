#pragma once
// What a plugin is tried for. Each check is a row of a table; it runs in a process of its own.

#include <string>
#include <vector>

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

struct Check {
  std::string name, group;
  // What was found to hold, in a few words; throws Failed and NotApplicable.
  std::function<std::string(Trial&)> run;
};
using Checks = std::vector<Check>;

Checks file_checks();        // of a file as a whole, and of objects of any kind
Checks term_checks();        // of solvers: one part of the equation of motion after the other
Checks solver_checks();      // of solvers: laws and agreement
Checks derivative_checks();  // of solvers that offer them
Checks trace_checks();       // of solvers that tell their recursion
Checks law_checks();         // of forces and controllers
Checks trajectory_checks();  // of trajectories
Checks call_checks();        // of hot functions of any kind: what they do with memory
Check answers_check();       // of any kind: without it no other has a sense
Check speed_check();         // of solvers; it says and refuses nothing

}  // namespace torsor::validation
