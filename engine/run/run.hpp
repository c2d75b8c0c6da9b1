#pragma once
// The run of an experiment, with its recorder, its comparison of solvers and its checks.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "torsor/run/player.hpp"
#include "torsor/run/run_comparison.hpp"
#include "torsor/signals/energy_watch.hpp"
#include "torsor/signals/limit_watch.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/signals/resolution_watch.hpp"

namespace torsor {

// A prepared run. The caller makes the steps.
class Run {
 public:
  // Throws Error if the experiment is invalid, if the initial acceleration cannot be computed, or
  // if the changes are not ordered by step. In a run from a saved state, changes up to the step of
  // this state are active, but are not made again.
  explicit Run(const Experiment& experiment);

  Simulation& simulation() { return player_.simulation(); }
  const Simulation& simulation() const { return player_.simulation(); }
  const std::vector<Column>& columns() const { return recorder_.columns(); }
  long long steps() const { return steps_; }
  // Returns the comparison of the rows recorded so far, or null if the experiment compares nothing.
  const RunComparison* comparison() const { return comparison_ ? &*comparison_ : nullptr; }

  const LimitWatch& limits() const { return limits_; }
  const EnergyWatch& energy() const { return energy_; }
  const ResolutionWatch& resolution() const { return resolution_; }
  // Returns the metrics of the steps so far, or null if the experiment measures nothing.
  const Metrics* metrics() const { return metrics_ ? &*metrics_ : nullptr; }

  using Writer = std::function<void(std::span<const double>)>;
  // begin() starts the run. advance() makes one step. Both pass each recorded row to `write`; the
  // first row is that of the start. If there are changes at a step, its row contains the state
  // after them. advance() throws Error under the same conditions as Simulation::step(). All earlier
  // rows have then been written.
  void begin(const Writer& write);
  void advance(const Writer& write);
  bool is_over() const { return player_.simulation().steps() >= steps_; }
  // Continues another run of the same scene, including its measurements so far. Replaces begin().
  // Throws Error if the other run records other columns. Nothing is changed then.
  void continue_from(Run& last);

  // Runs from the start to the end. Calls `progress` after each step. If it returns false, the run
  // stops.
  void execute(const Writer& write, const std::function<bool(const Simulation&)>& progress);

 private:
  std::span<const double> sample();
  void look();
  void check_energy();

  Player player_;
  std::vector<Change> changes_;
  std::optional<RunComparison> comparison_;
  Recorder recorder_;
  LimitWatch limits_;
  EnergyWatch energy_;
  ResolutionWatch resolution_;
  std::optional<Metrics> metrics_;
  long long steps_, interval_;
};

}  // namespace torsor
