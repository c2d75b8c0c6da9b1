#pragma once
// Runs the tasks of SimBenchmark and prints their errors next to the published ones.

#include "bench/simbenchmark/task.hpp"

namespace torsor::bench::simbenchmark {

struct Outcome {
  long long steps = 0;    // steps made
  double error = 0;       // mean of the squared errors before each step; NaN without an error
  double seconds = 0;     // processor time of all steps
  bool is_over = false;   // Task::is_over() ended the run
  std::string reason;     // why the run ended early or could not start; or ""
  std::vector<double> q;  // at the end
};

// Simulates a task for its duration. max_steps: the largest number of steps of the run.
Outcome run(const Task& task, const Method& method, long long max_steps);

// Returns a table of a task: its outcomes with time_stepping and with located events (rk4) for each
// dt of the suite whose run has at most max_steps steps, next to the published figures. dt whose
// runs have more steps have published figures only.
std::string table(const Task& task, const SolverFactory& make_solver, long long max_steps);

}  // namespace torsor::bench::simbenchmark
