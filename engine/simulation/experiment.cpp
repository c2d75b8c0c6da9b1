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

Run::Run(const Experiment& experiment, const SolverSource& make_solver, std::vector<Change> changes)
    : player_(experiment, make_solver),
      changes_(std::move(changes)),
      recorder_(*experiment.model, experiment.record, experiment.compare, experiment.load.controls),
      limits_(*experiment.model),
      steps_(whole_steps(experiment.duration, experiment.dt, "the duration")),
      interval_(experiment.record_interval == 0
                    ? 1
                    : whole_steps(experiment.record_interval, experiment.dt, "the record interval")) {
  if (!experiment.compare.empty()) comparison_.emplace(experiment, make_solver);
  if (experiment.metrics) metrics_.emplace(*experiment.model, experiment.load, *experiment.metrics);
  if (simulation().steps() >= steps_)
    throw Error(
        fmt::format("the state to start from is at t = {:g} s, where the experiment of {:g} s is over",
                    simulation().time(), experiment.duration));
  long long last = 0;
  for (const Change& change : changes_) {
    if (change.step < last)
      throw Error(fmt::format("a change at step {} comes after one at step {}; order them by step",
                              change.step, last));
    last = change.step;
  }
  if (last > steps_)
    throw Error(fmt::format("a change at step {} lies beyond the end of the run, step {}", last, steps_));
  player_.apply(changes_);
}

std::span<const double> Run::sample() {
  return recorder_.sample(simulation(),
                          comparison_ ? comparison_->at(simulation()) : std::span<const Disagreement>());
}

void Run::look() {
  limits_.look(simulation());
  if (metrics_) metrics_->look(simulation());
}

void Run::execute(const std::function<void(std::span<const double>)>& write,
                  const std::function<bool(const Simulation&)>& progress) {
  write(sample());
  look();
  while (simulation().steps() < steps_) {
    player_.advance(changes_);
    look();
    if (simulation().steps() % interval_ == 0 || simulation().steps() == steps_) write(sample());
    if (!progress(simulation())) return;
  }
}

}  // namespace torsor
