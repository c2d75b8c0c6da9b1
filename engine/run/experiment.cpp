#include "torsor/run/experiment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "torsor/model/model.hpp"
#include "torsor/run/player.hpp"

namespace torsor {

ConstraintSolverChoice default_constraint_solver(const Model& model) {
  return {.id = has_contacts(model) ? "newton_admm" : "pivoting"};
}

bool is_default(const ConstraintSolverChoice& choice, const Model& model) {
  return without_kind(choice.id) == default_constraint_solver(model).id &&
         choice.parameters.empty();
}

Integrator default_integrator(const Model& model) {
  return has_contacts(model) ? Integrator::time_stepping : Integrator::rk4;
}

long long step_count(double span, double dt, const char* what) {
  if (!(span > 0)) throw Error(fmt::format("{} is {} s; it must be positive", what, span));
  const double steps = span / dt, whole = std::round(steps);
  if (!(steps < 1e15))
    throw Error(fmt::format("{} of {} s takes too many steps of {} s", what, span, dt));
  // span and dt are decimal numbers rounded to doubles. Their quotient may therefore differ from
  // the integer by a few units in the last place.
  if (whole < 1 || std::abs(steps - whole) > 8 * std::numeric_limits<double>::epsilon() * whole)
    throw Error(
        span < dt
            ? fmt::format("{} of {} s is shorter than a step of dt = {} s", what, span, dt)
            : fmt::format(
                  "{} of {} s is not a whole number of steps of dt = {} s; {:.15g} step{} take{} "
                  "{:.9g} s",
                  what, span, dt, whole, whole == 1 ? "" : "s", whole == 1 ? "s" : "", whole * dt));
  return (long long)whole;
}

void change_step(Experiment& experiment, double dt) {
  for (Change& change : experiment.changes)
    if (change.step > 0)
      change.step = step_count(double(change.step) * experiment.dt, dt, "the time of a change");
  experiment.dt = dt;
}

void continue_from(const Simulation& last, Experiment& next) {
  Player player(next);
  player.simulation().take_over(last);
  next.state = player.simulation().save();
}

}  // namespace torsor
