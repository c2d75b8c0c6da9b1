#pragma once
// Runs an experiment, writes its recording, and shows a progress line.

#include "torsor/cli/support/progress.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::cli {

// A function that is called after each step. If it returns false, the run stops.
using BetweenSteps = std::function<bool(const Simulation&)>;

// Executes a run to its end. Returns false if the run was interrupted (interrupt.hpp), or if
// between_steps stopped it. The caller must have created an Interruptible. what: text before the
// time on the progress line. Throws the same errors as RecordedRun::execute, with the scene file
// and the recording file in the message.
bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps = {});

// Waits until event() returns true. Returns false if the command is interrupted while waiting.
bool wait_for(const std::function<bool()>& event);

}  // namespace torsor::cli
