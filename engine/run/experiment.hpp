#pragma once
// An experiment as a scene declares it. run.hpp runs it.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/handles/constraint_solver.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/integration/integrator.hpp"
#include "torsor/run/change.hpp"
#include "torsor/signals/metrics.hpp"
#include "torsor/simulation/load.hpp"
#include "torsor/simulation/payload.hpp"

namespace torsor {

class Registry;
class Simulation;

// A function that returns the solver with an id, prepared for a model. It throws Error under the
// same conditions as Registry::solver().
using SolverSource = std::function<Solver(const std::string& id, std::shared_ptr<const Model>)>;

// A function that returns the chosen constraint solver, prepared for a model. It throws Error under
// the same conditions as Registry::make().
using ConstraintSolverSource = std::function<std::unique_ptr<ConstraintSolver>(
    const ConstraintSolverChoice& choice, const std::shared_ptr<const Model>& model)>;

using SceneParameter = std::variant<double, bool, std::string>;

struct Experiment {
  std::shared_ptr<const Model> model;
  Vec3<double> gravity_W{0, 0, -9.81};
  std::vector<double> q, v;  // at time 0
  // [n_v] flags of the dof whose q and v are kept when loops are closed; empty: none
  std::vector<char> held;
  // State of the motors of elastic joints, in the order of their dof. If empty, the motors start at
  // the q and v of their joints.
  std::vector<double> motor_q, motor_v;
  // A saved state from which the run continues, as returned by Simulation::save() in a run of this
  // experiment. It must include the changes made at its step. If empty, the run starts at q and v.
  std::vector<std::byte> state;
  Load load;
  std::vector<Payload> payloads;
  std::string solver = "articulated_body";
  ConstraintSolverChoice constraint_solver;  // see default_constraint_solver()
  std::vector<std::string> compare;          // solvers that are also evaluated at each recorded row
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
  bool separate_overlaps = false;         // false: deep overlaps at the start are an error
  std::map<std::string, SceneParameter> parameters;
  // Names of control laws and forces that are functions of the program which runs the experiment.
  // The scene alone does not repeat such a run.
  std::vector<std::string> host_functions;
  // Plugins of the scene; null if the experiment was made without a scene
  std::shared_ptr<const Registry> plugins;
  // Makes the solvers of this experiment. Must be set before a run; Player asserts this.
  SolverSource make_solver;
  // Makes the constraint solver of this experiment.
  ConstraintSolverSource make_constraint_solver;
};

// Returns the choices of an experiment that names none: where shapes can touch, solvers for
// contacts and time stepping.
ConstraintSolverChoice default_constraint_solver(const Model& model);
bool is_default(const ConstraintSolverChoice& choice, const Model& model);
Integrator default_integrator(const Model& model);

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

}  // namespace torsor
