#pragma once
// Running an experiment with its recording, a progress line and Ctrl+C.

#include "torsor/cli/progress.hpp"
#include "torsor/simulation/recorded_run.hpp"

namespace torsor::cli {

// Asked after each step; false stops the run.
using BetweenSteps = std::function<bool(const Simulation&)>;

// Runs to the end; false where SIGINT or SIGTERM stopped it, or between_steps. what: stands before
// the time on the progress line. Throws Error as RecordedRun::execute, with the scene and where the recording is.
bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps = {});

// While it lives in execute(), a plugin's call that does not come back is broken off after some seconds.
class Patience {
 public:
  Patience();
  ~Patience();
  Patience(const Patience&) = delete;
};

// Asks again and again; false where SIGINT or SIGTERM came first.
bool wait_for(const std::function<bool()>& event);
// Whether one of them has come.
bool was_interrupted();

}  // namespace torsor::cli
