#pragma once
// The states of a comparison: the start of a scene, and random states.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::cli {

// Provides the states one after the other.
class ComparedStates {
 public:
  // name: the name of the file, for messages.
  ComparedStates(const std::variant<Experiment, RobotDescription>& file, std::string name,
                 uint64_t seed);

  const Model& model() const { return state_.model(); }
  State& state() { return state_; }
  bool of_scene() const { return experiment_; }

  // Sets the initial state of the scene, with its torques.
  void begin();
  // Draws a random state. Positions are within half a turn or 3 m of the zero position. A scene's
  // own wrenches and forces act on it; a robot has random wrenches.
  void draw();

  // Closes the loops of the model in all states that follow. Random positions are then within
  // 0.3 rad or m of the start. A position from which the loops cannot be closed remains open.
  void close_loops(const SolverFactory& make_solver);

 private:
  void fill(std::vector<double>& x, double size);
  bool close();
  void apply();

  std::string name_;
  const Experiment* experiment_;
  State state_;
  std::optional<Applied> applied_;    // loads of a scene
  std::vector<double> rest_, rates_;  // states of the scene's forces, all zero, and their rates
  Random random_;
  std::vector<double> start_, q_, move_;
  double reach_ = 3;
  std::optional<Simulation> closing_;  // closes the loops

 public:
  std::vector<double> vdot, tau;
};

}  // namespace torsor::cli
