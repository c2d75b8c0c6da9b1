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

// A parameter and its values as strings (Overrides). Each value is a variant of the experiment.
struct Variation {
  std::string parameter;
  std::vector<std::string> values;
};

struct Experiment {
  std::shared_ptr<const Model> model;
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<double> q, v;  // at time 0
  // State of the motors of elastic joints, in the order of their dof. If empty, the motors are at
  // their joints.
  std::vector<double> motor_q, motor_v;
  // A state that Simulation::save() returned in a run of this experiment, after the changes of its
  // step. The run continues from it. If empty, the run starts at q and v.
  std::vector<std::byte> state;
  Load load;
  std::vector<Payload> payloads;
  std::string solver = "articulated_body";
  std::vector<std::string> compare;  // solvers that are also evaluated at each recorded row
  Integrator integrator = Integrator::rk4;
  double dt = 1e-3;
  Tolerances tolerances;  // for adaptive integrators
  double duration = 1;
  // Changes made during the run, ordered by step; those after its end have no effect
  std::vector<Change> changes;
  std::vector<std::string> record;        // signal names, see recorder.hpp
  double record_interval = 0;             // s between rows, a multiple of dt; 0: every step
  std::optional<MetricsOptions> metrics;  // not measured if empty
  double energy_tolerance = 1e-3;         // tolerance of EnergyWatch
  std::map<std::string, SceneParameter> parameters;
  std::vector<Variation> variants;  // for separate runs that are compared
  // Plugins of the scene; null if the experiment was made without a scene
  std::shared_ptr<const Registry> plugins;
  // Makes the solvers of runs of this experiment; must be set for a run
  SolverSource make_solver;
};

// Returns the number of steps in a span of time, s. Throws Error if it is not a whole number. what:
// name of the span in the message.
long long whole_steps(double span, double dt, const char* what);

// Changes the step dt, s. The changes keep their times. Throws Error if the time of a change is not
// a multiple of the new step.
void change_step(Experiment& experiment, double dt);

// Makes a reloaded experiment with other plugins start at the present state of its simulation.
// Throws Error as Simulation::take_over, and for invalid experiments.
void continue_from(const Simulation& last, Experiment& next);

// A prepared run. Its owner controls when it steps.
class Run {
 public:
  // Throws Error for an invalid experiment, if the initial acceleration cannot be computed, and for
  // changes that are not in order. A run from a saved state restores the changes up to its step
  // without making them again.
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
  // Begin the run, and make one step. Both pass each recorded row to write, the first at the start.
  // The row of a step with changes has the state after them. advance() throws Error as
  // Simulation::step, after all earlier rows have been written.
  void begin(const Writer& write);
  void advance(const Writer& write);
  bool is_over() const { return player_.simulation().steps() >= steps_; }
  // Continues another run of the same scene instead of begin(), including its measurements so far.
  // Throws Error if that run records other columns, and then changes nothing.
  void continue_from(Run& last);

  // Runs from the start to the end. progress is called after each step and stops the run by
  // returning false.
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
