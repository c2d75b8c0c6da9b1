#pragma once
// Runs the tasks of SimBenchmark and prints their errors next to the published ones.

#include "bench/simbenchmark/task.hpp"

namespace torsor::bench::simbenchmark {

// Bounds of a run. A run ends when it has made this number of steps, or when its steps have taken
// this processor time.
struct Limits {
  long long steps = 20'000;
  double seconds = 60;
};

struct Outcome {
  long long steps = 0;    // steps made
  double error = 0;       // mean of the squared errors before each step; NaN without an error
  double seconds = 0;     // processor time of all steps
  bool is_over = false;   // Task::is_over() ended the run
  bool is_cut = false;    // a limit ended the run
  std::string reason;     // why the run failed or could not start; or ""
  std::vector<double> q;  // at the end; empty if the run failed
};

// Simulates a task for its duration.
Outcome run(const Task& task, const Method& method, const Limits& limits);

// Prints a task line by line: its outcomes with time_stepping and with located events (rk4) for
// each dt of the suite, next to the published figures. If a run to the end would have more than
// limits.steps steps, and the task has an error, only the published figures are printed.
void print(const Task& task, const SolverFactory& make_solver, const Limits& limits,
           const std::function<void(const std::string& line)>& print_line);

}  // namespace torsor::bench::simbenchmark
