#pragma once
// Measures the steps of simulations of scenes, and the errors of their loops, next to libraries
// that simulate the same mechanism.

#include <filesystem>

#include "torsor/run/experiment.hpp"

namespace torsor::bench {

// A simulation of one scene, by Torsor or by a library.
struct StepResult {
  std::string name, integrator;
  double ns = 0;            // processor time of a step, ns
  double loop_error = 0;    // largest distance between the frames of a closure in all steps, m
  std::string reason = "";  // why there is no time; or ""
};

// Simulates n steps of the scene without its controls in each subject, `repetitions` times in turn.
// Times are the shortest ones.
std::vector<StepResult> measure_steps(const Experiment& experiment, long long n, int repetitions);
std::string steps_table(const std::string& scene, const Experiment& experiment, long long n,
                        const std::vector<StepResult>& results);

}  // namespace torsor::bench
