#include "torsor/run/run.hpp"

#include <fmt/format.h>

#include "torsor/constraints/loops/mobility.hpp"

namespace torsor {

namespace {

// Throws Error if closures keep every joint from moving.
void require_mobility(const State& state) {
  const Model& model = state.model();
  if (model.closures.empty() || mobility(state) > 0) return;
  const std::string& source = model.closures[0].source;
  throw Error(fmt::format(
      "{}{}the closures leave no degree of freedom: at the start, they keep all {} of the tree "
      "from moving; remove a closure, or choose a kind that leaves a motion",
      source, source.empty() ? "" : ": ", model.n_v));
}

}  // namespace

Run::Run(const Experiment& experiment)
    : player_(experiment, experiment.changes),
      changes_(experiment.changes),
      recorder_(*experiment.model, experiment.record, experiment.compare, experiment.load.controls,
                experiment.load.sensors),
      limits_(*experiment.model),
      energy_(experiment.energy_tolerance),
      resolution_(experiment.integrator, experiment.energy_tolerance),
      steps_(step_count(experiment.duration, experiment.dt, "the duration")),
      interval_(
          experiment.record_interval == 0
              ? 1
              : step_count(experiment.record_interval, experiment.dt, "the record interval")) {
  player_.simulation().acceleration();  // throws Error if M is singular
  require_mobility(simulation().state());
  if (!experiment.compare.empty()) comparison_.emplace(experiment);
  if (experiment.metrics) metrics_.emplace(*experiment.model, experiment.load, *experiment.metrics);
  if (simulation().steps() >= steps_)
    throw Error(
        fmt::format("the state to start from is at t = {:g} s, and the experiment ends at {:g} s",
                    simulation().time(), experiment.duration));
  long long last = 0;
  for (const Change& change : changes_) {
    if (change.step < last)
      throw Error(fmt::format("a change at step {} comes after one at step {}; order them by step",
                              change.step, last));
    last = change.step;
  }
  if (experiment.state.empty()) player_.apply(changes_);
}

std::span<const double> Run::sample() {
  return recorder_.sample(
      simulation(), comparison_ ? comparison_->at(simulation()) : std::span<const Disagreement>());
}

void Run::look() {
  // Number of steps between evaluations of the energy error. This error accumulates over the run,
  // so rare evaluations do not miss any part of it.
  constexpr long long energy_interval = 8;
  limits_.check_state(simulation());
  resolution_.look(simulation());
  if (simulation().steps() % energy_interval == 0 || is_over()) check_energy();
  if (metrics_) metrics_->look(simulation());
}

void Run::check_energy() {
  const Energy now = simulation().require_finite_energy();
  if (const std::string what = metrics_ ? metrics_->find_infinite() : ""; !what.empty())
    simulation().fail_moving(
        fmt::format("{} is not a finite number; {}", what, simulation().explain_divergence()));
  energy_.look(simulation(), now);
  resolution_.compare_works(simulation(), energy_);
}

void Run::begin(const Writer& write) {
  check_energy();
  write(sample());
  look();
}

void Run::advance(const Writer& write) {
  player_.advance(changes_);
  look();
  if (simulation().steps() % interval_ == 0 || is_over()) write(sample());
}

void Run::continue_from(Run& last) {
  if (columns() != last.columns())
    throw Error("its signals differ from those that are being recorded");
  if (last.metrics_) {
    last.metrics_->continue_with(simulation().load());
    metrics_.emplace(std::move(*last.metrics_));
  }
  if (comparison_) comparison_->continue_from(*last.comparison_);
  limits_.continue_from(last.limits_);
  energy_ = last.energy_;
  resolution_ = last.resolution_;
}

void Run::execute(const Writer& write, const std::function<bool(const Simulation&)>& progress) {
  begin(write);
  while (!is_over()) {
    advance(write);
    if (!progress(simulation())) return;
  }
}

}  // namespace torsor
