#pragma once
// Player: a simulation that replays a timeline or extends it.

#include <span>
#include <vector>

#include "torsor/run/run_comparison.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor {

// Every step starts from exactly the state before it, with the active solver and torques. So a step
// that is replayed from any stored state gives the same state, bit for bit.
// Unknown solver ids and changes that do not fit the model throw Error, as steps do. The simulation
// is then at a valid state; after a failed step, at the last one before it.
class Player {
 public:
  // Starts at the experiment's initial state. If this is a saved state, `made` contains the changes
  // of the run that saved it, ordered by step. Throws Error for an invalid experiment. If M is
  // singular at the start, acceleration() and steps throw Error.
  explicit Player(const Experiment& experiment, std::span<const Change> made = {});

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  // Returns the id of the active solver, as written in the experiment or the change.
  const std::string& solver() const { return solver_; }

  // Moves to stored state i of the timeline.
  void show(const Timeline& timeline, size_t i);
  // Moves to a snapshot of a step that the timeline has reached. The snapshot must include the
  // changes made at this step.
  void show(const Timeline& timeline, const Snapshot& state);
  // Moves to a step that the timeline has reached, after the changes made there. Throws Error for
  // any other step.
  void seek(const Timeline& timeline, long long step);
  // apply() makes the changes of the present step. advance() makes one step and then the changes of
  // the new step. changes must be ordered by step.
  void apply(std::span<const Change> changes);
  void advance(std::span<const Change> changes);

  // Returns the active changes, for another player that starts at the present state.
  std::vector<Change::What> active_changes() const;

  // Makes a change at the present step and adds it to the timeline, which must have reached this
  // step. A state change that replaces an earlier one is made from the state before the earlier
  // one, so that a replay of the timeline has the same energy ledger.
  void change(Timeline& timeline, const Change::What& what);

 private:
  // Returns the laws of the controls with these parameters; null for a law that does not change.
  std::vector<std::shared_ptr<const ControlLaw>> laws_with(
      const std::vector<ControlParameters>& parameters) const;
  void make(const Change::What& what);
  void change(const std::vector<ControlParameters>& parameters);
  void use(const std::string& solver);
  void activate(std::span<const Change> changes, long long step);
  void move_before_changes(const Timeline& timeline, long long step);

  SolverSource make_solver_;
  std::string solver_;
  Simulation simulation_;
  std::string own_solver_;          // solver of the experiment
  std::vector<double> own_torque_;  // torques of the experiment, [n_v]
  std::vector<Control> own_controls_;
  std::vector<ControlParameters> parameters_;  // active ones that replace the experiment's
  Snapshot start_, kept_;
};

}  // namespace torsor
