#pragma once
// Runs an experiment with its recording, a progress line and Ctrl+C.

#include "torsor/cli/progress.hpp"
#include "torsor/simulation/recorded_run.hpp"

namespace torsor::cli {

// Called after each step; returning false stops the run.
using BetweenSteps = std::function<bool(const Simulation&)>;

// Runs to the end. Returns false if SIGINT, SIGTERM or between_steps stopped the run. what: text before the time on the progress
// line. Throws Error as RecordedRun::execute, with the scene and the file of the recording.
bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps = {});

// During its life inside execute(), a call of a plugin that does not return is broken off after some seconds.
class Patience {
 public:
  Patience();
  ~Patience();
  Patience(const Patience&) = delete;
};

// Waits until the event happens. Returns false if SIGINT or SIGTERM came first.
bool wait_for(const std::function<bool()>& event);
// Returns whether one of these signals came.
bool was_interrupted();

}  // namespace torsor::cli
