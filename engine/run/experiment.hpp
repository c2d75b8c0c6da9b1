#pragma once
// An experiment as a scene declares it, and its run.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/run/player.hpp"
#include "torsor/signals/energy_watch.hpp"
#include "torsor/signals/limit_watch.hpp"
#include "torsor/signals/metrics.hpp"
#include "torsor/signals/recorder.hpp"
#include "torsor/signals/resolution_watch.hpp"

namespace torsor {

class Registry;

using SceneParameter = std::variant<double, bool, std::string>;

// A parameter and its values as strings (Overrides). Each value defines a variant of the
// experiment.
struct Variation {
  std::string parameter;
  std::vector<std::string> values;
};

struct Experiment {
  std::shared_ptr<const Model> model;
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<double> q, v;  // at time 0
  // State of the motors of elastic joints, in the order of their dof. If empty, the motors start at
  // the q and v of their joints.
  std::vector<double> motor_q, motor_v;
  // A saved state from which the run continues, as returned by Simulation::save() in a run of this
  // experiment. It must include the changes made at its step. If empty, the run starts at q and v.
  std::vector<std::byte> state;
  Load load;
  std::vector<Payload> payloads;
  std::string solver = "articulated_body";
  std::vector<std::string> compare;  // solvers that are also evaluated at each recorded row
  Integrator integrator = Integrator::rk4;
  double dt = 1e-3;
  Tolerances tolerances;  // used by adaptive integrators
  double duration = 1;
  // Changes made during the run, ordered by step. Changes after the end of the run have no effect.
  std::vector<Change> changes;
  std::vector<std::string> record;        // signal names, see recorder.hpp
  double record_interval = 0;             // s between rows, a multiple of dt; 0: every step
  std::optional<MetricsOptions> metrics;  // nullopt: no metrics
  double energy_tolerance = 1e-3;         // tolerance of EnergyWatch
  std::map<std::string, SceneParameter> parameters;
  std::vector<Variation> variants;  // each variation is a separate run; the results are compared
  // Plugins of the scene; null if the experiment was made without a scene
  std::shared_ptr<const Registry> plugins;
  // Makes the solvers of this experiment. Must be set before a run.
  SolverSource make_solver;
};

// Returns the number of steps of dt in a span of time, both in s. Throws Error if this is not a
// whole number. what: name of the span in the message.
long long step_count(double span, double dt, const char* what);

// Sets the step dt, s. Changes keep their times: their step numbers are converted. Throws Error if
// the time of a change is not a multiple of the new dt.
void change_step(Experiment& experiment, double dt);

// Sets the start of `next`, a reloaded experiment with other plugins, to the present state of
// `last`. Throws Error if `next` is invalid, and under the same conditions as
// Simulation::take_over().
void continue_from(const Simulation& last, Experiment& next);

// A prepared run. The caller makes the steps.
class Run {
 public:
  // Throws Error if the experiment is invalid, if the initial acceleration cannot be computed, or
  // if the changes are not ordered by step. In a run from a saved state, changes up to the step of
  // this state are active, but are not made again.
  explicit Run(const Experiment& experiment);

  Simulation& simulation() { return player_.simulation(); }
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
