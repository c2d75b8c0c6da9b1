#pragma once
// Runs an experiment with its recording and a progress line.

#include "torsor/cli/support/progress.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::cli {

// A function that is called after each step; returning false stops the run.
using BetweenSteps = std::function<bool(const Simulation&)>;

// Runs to the end. Returns false if the run was interrupted (interrupt.hpp) or between_steps
// stopped it. The caller must have an Interruptible. what: text before the time on the progress
// line. Throws Error as RecordedRun::execute; the message contains the scene and the file of the
// recording.
bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps = {});

// Waits until `event` returns true. Returns false if the command was interrupted before.
bool wait_for(const std::function<bool()>& event);

}  // namespace torsor::cli
