#pragma once
// Player: a simulation that replays a timeline or extends it.

#include <span>
#include <vector>

#include "torsor/run/experiment.hpp"
#include "torsor/run/timeline.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

// Each step starts from exactly the state before it, with the active solver and torques. A step
// that is replayed from any stored state is therefore bit-identical. Steps may throw Error
// (Simulation::step). Unknown solver ids and changes that do not fit the model also throw Error.
// The simulation is then at a valid state; after a failed step, this is the state before the step.
class Player {
 public:
  // Starts at the experiment's initial state. If this is a saved state, `made` must contain the
  // changes of the run that saved it, ordered by step. Throws Error if the experiment is invalid. A
  // singular M at the start is accepted, but acceleration() and steps then throw Error.
  explicit Player(const Experiment& experiment, std::span<const Change> made = {});

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  // Returns the id of the active solver, as written in the experiment or in the change that
  // selected the solver.
  const std::string& solver() const { return solver_; }
  // Returns the active constraint solver.
  const ConstraintSolverChoice& constraint_solver() const { return constraint_solver_; }

  // Sets the simulation to stored state i of the timeline.
  void show(const Timeline& timeline, size_t i);
  // Sets the simulation to a snapshot of a step that the timeline has reached. The snapshot must
  // include the changes made at this step.
  void show(const Timeline& timeline, const Snapshot& state);
  // Sets the simulation to a snapshot of a run with these changes, ordered by step.
  void show(std::span<const Change> changes, const Snapshot& state);
  // Sets the simulation to a step that the timeline has reached, after the changes made at this
  // step. Throws Error for any other step.
  void seek(const Timeline& timeline, long long step);
  // apply() makes the changes that belong to the present step. advance() makes one step and then
  // the changes that belong to the new step. changes must be ordered by step.
  void apply(std::span<const Change> changes);
  void advance(std::span<const Change> changes);

  // Returns the active changes, so that another player can start at the present state.
  std::vector<Change::What> active_changes() const;

  // Makes a change at the present step and adds it to the timeline, which must have reached this
  // step. If a state change replaces an earlier one at this step, it is made from the state before
  // the earlier one. A replay of the timeline then has the same energy ledger.
  void change(Timeline& timeline, const Change::What& what);

 private:
  // Returns the control laws for these parameters. Entries of laws that do not change are null.
  std::vector<std::shared_ptr<const ControlLaw>> laws_with(
      const std::vector<ControlParameters>& parameters) const;
  void make(const Change::What& what);
  void change(const std::vector<ControlParameters>& parameters);
  void use(const std::string& solver);
  void use(const ConstraintSolverChoice& choice);
  void activate(std::span<const Change> changes, long long step);
  void move_before_changes(const Timeline& timeline, long long step);

  SolverSource make_solver_;
  std::string solver_;
  ConstraintSolverSource make_constraint_solver_;
  ConstraintSolverChoice constraint_solver_;
  Simulation simulation_;
  std::string own_solver_;  // solver of the experiment
  ConstraintSolverChoice own_constraint_solver_;
  std::vector<double> own_torque_;  // torques of the experiment, [n_v]
  std::vector<Control> own_controls_;
  // active parameters that replace those of the experiment
  std::vector<ControlParameters> parameters_;
  Snapshot start_, kept_;
};

}  // namespace torsor
