#pragma once
// Runs an experiment with its recording and a progress line.

#include "torsor/cli/support/progress.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::cli {

// Called after each step; returning false stops the run.
using BetweenSteps = std::function<bool(const Simulation&)>;

// Runs to the end. Returns false if the run was interrupted (interrupt.hpp; the caller holds the
// Interruptible) or between_steps stopped it. what: text before the time on the progress line.
// Throws Error as RecordedRun::execute, with the scene and the file of the recording.
bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps = {});

// Waits until the event happens. Returns false if the command was interrupted first.
bool wait_for(const std::function<bool()>& event);

}  // namespace torsor::cli
