#pragma once
// An experiment as a scene declares it, and its run.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/simulation/limit_watch.hpp"
#include "torsor/simulation/metrics.hpp"
#include "torsor/simulation/player.hpp"
#include "torsor/simulation/recorder.hpp"

namespace torsor {

class Registry;

using SceneParameter = std::variant<double, bool, std::string>;

// A parameter, and its values as texts (Overrides), each of which is a variant of the experiment.
struct Variation {
  std::string parameter;
  std::vector<std::string> values;
};

struct Experiment {
  std::shared_ptr<const Model> model;
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<double> q, v;  // at time 0
  std::vector<double> motor_q,
      motor_v;  // of the motors of elastic joints, by column; empty: where their joints are
  // That Simulation::save() gave where a run of this experiment stood, after the changes of its step; to go on from. Empty: q and v.
  std::vector<std::byte> state;
  Load load;
  std::vector<Payload> payloads;
  std::string solver = "articulated_body";
  std::vector<std::string> compare;  // solvers asked about each recorded row as well
  Integrator integrator = Integrator::rk4;
  double dt = 1e-3;
  Tolerances tolerances;  // of an adaptive integrator
  double duration = 1;
  std::vector<Change> changes;            // made while it runs, by step; those beyond its end are not reached
  std::vector<std::string> record;        // signal names, see recorder.hpp
  double record_interval = 0;             // s between rows, a multiple of dt; 0: every step
  std::optional<MetricsOptions> metrics;  // measured where it is there
  std::map<std::string, SceneParameter> parameters;
  std::vector<Variation> variants;          // that the scene would have compared
  std::shared_ptr<const Registry> plugins;  // that a scene was loaded with, and its own; null: made without
};

// Steps in a span of time; throws Error where that is not a whole number. what names the span in the message.
long long whole_steps(double span, double dt, const char* what);

// Lets an experiment, loaded anew with other plugins, start where a simulation of it stands. Throws Error as Simulation::take_over, and
// for anything the experiment got wrong.
void go_on_from(const Simulation& last, Experiment& next, const SolverSource& make_solver);

// A prepared run: it is stepped by whoever owns the clock.
class Run {
 public:
  // Throws Error for anything the experiment got wrong, where no acceleration can be had at its start, and for changes out
  // of order. From a state, what the changes up to its step put in force holds; those of its own step are not made again.
  Run(const Experiment& experiment, const SolverSource& make_solver);

  Simulation& simulation() { return player_.simulation(); }
  const std::vector<Column>& columns() const { return recorder_.columns(); }
  long long steps() const { return steps_; }
  // Of the rows recorded so far; null where the experiment compares nothing.
  const RunComparison* comparison() const { return comparison_ ? &*comparison_ : nullptr; }

  const LimitWatch& limits() const { return limits_; }
  // Of the steps so far; null where the experiment measures nothing.
  const Metrics* metrics() const { return metrics_ ? &*metrics_ : nullptr; }

  using Writer = std::function<void(std::span<const double>)>;
  // Each recorded row goes to write, the first where the run starts, that of a step with changes after them. advance() makes a step;
  // it throws Error as Simulation::step; every row before it has been written.
  void begin(const Writer& write);
  void advance(const Writer& write);
  bool is_over() const { return player_.simulation().steps() >= steps_; }
  // In place of begin(), for a run that starts where another of the same scene stands: what has been measured so far is the other's.
  // Throws Error where that records other columns, and then leaves it as it was.
  void go_on_from(Run& last);

  // All of it; progress is asked after each step and stops the run where it returns false.
  void execute(const Writer& write, const std::function<bool(const Simulation&)>& progress);

 private:
  std::span<const double> sample();
  void look();

  Player player_;
  std::vector<Change> changes_;
  std::optional<RunComparison> comparison_;
  Recorder recorder_;
  LimitWatch limits_;
  std::optional<Metrics> metrics_;
  long long steps_, interval_;
};

}  // namespace torsor
