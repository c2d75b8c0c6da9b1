#pragma once
// Measures the steps of simulations of scenes, and the errors of their loops, next to libraries
// that simulate the same mechanism.

#include <functional>

#include "bench/peers/peer.hpp"
#include "torsor/constraints/closure_rows.hpp"

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

// Starts a simulation by Torsor.
std::unique_ptr<SteppedRun> start_torsor(const Experiment& experiment);
// Returns the processor time of n steps, divided by n, ns.
double time_steps(SteppedRun& run, long long n);
// Returns the largest error of a closure that is a distance, m.
double loop_error(ClosureRows& rows, const State& state);

}  // namespace torsor::bench
