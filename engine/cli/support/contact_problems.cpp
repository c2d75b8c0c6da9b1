#include "torsor/cli/support/contact_problems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/cli/support/progress.hpp"
#include "torsor/run/player.hpp"

namespace torsor::cli {

namespace {

bool carries_force(const ContactProblem& problem) {
  return std::ranges::any_of(problem.points, [&](const ContactRow& point) {
    return problem.lambda[size_t(point.row)] > 0;
  });
}

}  // namespace

void sample_contact_problems(const Experiment& experiment, int parts,
                             const std::function<void(double, const ContactProblem&)>& take) {
  const long long steps = step_count(experiment.duration, experiment.dt, "the duration");
  Player player(experiment);
  player.apply(experiment.changes);
  Simulation& run = player.simulation();
  ContactProblem problem;
  Progress progress;
  for (int taken = 0; run.steps() < steps;) {  // taken: the parts that need no more steps
    const int part = int(run.steps() * parts / steps);
    if (part >= taken) {
      (void)run.contact_forces(&problem);
      if (carries_force(problem)) {
        take(run.time(), problem);
        taken = part + 1;
      }
    }
    player.advance(experiment.changes);
    if (progress.due())
      progress.show(double(run.steps()) / double(steps), fmt::format("t = {:.3g} s", run.time()));
  }
}

bool has_contact_friction(const Model& model) {
  const int n = int(model.colliders.size());
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      if (!may_collide(model, a, b)) continue;
      const ContactMaterial material = contact_material(model, a, b);
      if (material.mu > 0 || material.torsional > 0 || material.rolling > 0) return true;
    }
  return false;
}

}  // namespace torsor::cli
