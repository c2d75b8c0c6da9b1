#include "torsor/simulation/experiment.hpp"

#include <fmt/format.h>

#include <cmath>

namespace torsor {

long long whole_steps(double span, double dt, const char* what) {
  if (!(span > 0)) throw Error(fmt::format("{} is {} s; it must be positive", what, span));
  const double steps = span / dt, whole = std::round(steps);
  if (!(steps < 1e15))
    throw Error(fmt::format("{} of {} s takes more steps of {} s than can be counted", what, span, dt));
  // span and dt are decimals rounded to doubles: their quotient misses the integer by a few units of its last
  // place.
  if (whole < 1 || std::abs(steps - whole) > 8 * std::numeric_limits<double>::epsilon() * whole)
    throw Error(fmt::format("{} of {} s is not a whole number of steps of dt = {} s", what, span, dt));
  return (long long)whole;
}

Run::Run(const Experiment& experiment, const SolverSource& make_solver)
    : simulation_(
          experiment.model,
          [&](std::shared_ptr<const Model> model) {
            return make_solver(experiment.solver, std::move(model));
          },
          experiment.integrator, experiment.dt),
      recorder_(*experiment.model, experiment.record, experiment.compare),
      steps_(whole_steps(experiment.duration, experiment.dt, "the duration")),
      interval_(experiment.record_interval == 0
                    ? 1
                    : whole_steps(experiment.record_interval, experiment.dt, "the record interval")) {
  if (!experiment.compare.empty()) comparison_.emplace(experiment, make_solver);
  simulation_.set_gravity(experiment.gravity_W);
  simulation_.set_load(experiment.load);
  simulation_.set_state(experiment.q, experiment.v);
  simulation_.acceleration();
}

std::span<const double> Run::sample() {
  return recorder_.sample(simulation_,
                          comparison_ ? comparison_->at(simulation_) : std::span<const Disagreement>());
}

void Run::execute(const std::function<void(std::span<const double>)>& write,
                  const std::function<bool(const Simulation&)>& progress) {
  write(sample());
  while (simulation_.steps() < steps_) {
    simulation_.step();
    if (simulation_.steps() % interval_ == 0 || simulation_.steps() == steps_) write(sample());
    if (!progress(simulation_)) return;
  }
}

}  // namespace torsor
