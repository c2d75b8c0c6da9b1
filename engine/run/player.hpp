#pragma once
// A simulation that follows a timeline, or makes one.

#include <span>
#include <vector>

#include "torsor/run/run_comparison.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor {

// Every step is made from the bits of the state before, with the solver and the torques in force:
// so a step that is reached again, from whichever kept state, is reached bit for bit. Solver ids
// and changes that are not of the model throw Error as do steps; the simulation then stands at a
// good state, the last one where it was stepping.
class Player {
 public:
  // Starts at the experiment's initial state. If that is a saved state, `made` are the changes, by
  // step, of the run that saved it. Throws Error for mistakes in the experiment. If M is singular
  // at the start, acceleration() and steps throw Error.
  explicit Player(const Experiment& experiment, std::span<const Change> made = {});

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  // Its id as the experiment or the change gave it.
  const std::string& solver() const { return solver_; }

  // Stands at kept state i of the timeline.
  void show(const Timeline& timeline, size_t i);
  // Stands at a state that the timeline has gone through, after the changes made there.
  void stand(const Timeline& timeline, const Snapshot& state);
  // Stands at a step that the timeline has reached, after the changes made there. Throws Error for
  // any other.
  void seek(const Timeline& timeline, long long step);
  // Makes the changes of the present step; makes one step and then the changes of the new one.
  // changes are ordered by step.
  void apply(std::span<const Change> changes);
  void advance(std::span<const Change> changes);

  // What holds that was changed in the run, for another that begins where this one stands.
  std::vector<Change::What> in_force() const;

  // Makes a change at the present step and tells the timeline, which has come here or further.
  // Where it replaces a state change, it is made from the state before that one: the timeline
  // replayed gives the same energy ledger.
  void change(Timeline& timeline, const Change::What& what);

 private:
  // The laws of the controls with these parameters; null where the one in force stays.
  std::vector<std::shared_ptr<const ControlLaw>> laws_with(
      const std::vector<ControlParameters>& parameters) const;
  void make(const Change::What& what);
  void change(const std::vector<ControlParameters>& parameters);
  void use(const std::string& solver);
  void put_in_force(std::span<const Change> changes, long long step);
  void stand_before_changes(const Timeline& timeline, long long step);

  SolverSource make_solver_;
  std::string solver_;
  Simulation simulation_;
  std::string own_solver_;          // the experiment's
  std::vector<double> own_torque_;  // the experiment's, [n_v]
  std::vector<Control> own_controls_;
  std::vector<ControlParameters> parameters_;  // that are in force in place of the experiment's
  Snapshot start_, kept_;
};

}  // namespace torsor
