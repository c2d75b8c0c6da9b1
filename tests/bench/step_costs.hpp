#pragma once
// Measures the cost of a step of the simulation of one robot, and of the features of a scene, next
// to libraries that simulate the same robot.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"

namespace torsor::bench {

// A step of a library, which simulates the same feature by an integrator of the same order.
struct LibraryStep {
  double ns;  // processor time, the shortest of all repetitions
  // Largest difference from Torsor's motion in the first steps, relative to the change of the state
  // in these steps (motion_difference).
  double difference;
};

// The time of a step with one feature.
struct StepCost {
  std::string feature;
  double ns = 0;  // processor time, the shortest of all repetitions
  std::map<std::string, LibraryStep> libraries = {};
};

struct StepCosts {
  std::string scene;
  int n_v;
  std::vector<StepCost> rows;
  std::vector<std::string> notes;  // why a library has no time
};

// Measures n steps of each of these, `repetitions` times in turn:
// - the scene with rk4, with all its boolean parameters false
// - the same with one of these parameters true
// - the same with the checks of `torsor run`, and recorded in each step
// - the same with each other integrator
// A scene is a file, a robot file other than .lua, or a generated robot (chain:N, tree:N). Robots
// have no parameters and fall from their neutral pose. Throws Error if it cannot be read.
StepCosts measure_step_costs(const std::string& scene, long long n, int repetitions,
                             const Registry& plugins, const Permission& permission);

// Makes the same number of steps in both simulations, from the state of a scene. Returns the
// largest difference of an entry of q or v, relative to the largest change of an entry of q or v.
double motion_difference(const Experiment& scene, SteppedRun& a, SteppedRun& b, int steps);

std::string step_costs_table(const StepCosts& costs);
nlohmann::ordered_json step_costs_json(const std::vector<StepCosts>& all);

}  // namespace torsor::bench
