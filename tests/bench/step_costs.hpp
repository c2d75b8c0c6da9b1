#pragma once
// Measures the cost of a step of the simulation of one robot, and of the features of a scene, next
// to libraries that simulate the same robot.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/host/trust.hpp"

namespace torsor::bench {

// The time of a step with one feature.
struct StepCost {
  std::string feature;
  double ns = 0;  // processor time, the shortest of all repetitions
  // Times of libraries, which simulate the same feature by an integrator of the same order.
  std::map<std::string, double> libraries = {};
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

std::string step_costs_table(const StepCosts& costs);
nlohmann::ordered_json step_costs_json(const std::vector<StepCosts>& all);

}  // namespace torsor::bench
