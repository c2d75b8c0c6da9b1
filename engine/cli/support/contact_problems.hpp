#pragma once
// The problems of the contacts of a run.

#include <functional>

#include "torsor/run/experiment.hpp"
#include "torsor/simulation/steppers/contact_impulses.hpp"

namespace torsor::cli {

// Runs a scene that uses time stepping. Divides its steps into `parts` equal parts, and calls
// `take` for the first step of each part with a contact that carries a force: with the time of the
// step, s, and the problem of its impulses. Shows the progress. Throws Error if the run fails.
void sample_contact_problems(const Experiment& experiment, int parts,
                             const std::function<void(double, const ContactProblem&)>& take);

// Returns whether two shapes that may collide have friction.
bool has_contact_friction(const Model& model);

}  // namespace torsor::cli
