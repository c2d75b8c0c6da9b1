#pragma once
// Running an experiment with its recording, a progress line and Ctrl+C.

#include "torsor/cli/progress.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/simulation/recorded_run.hpp"

namespace torsor::cli {

// Throws Error as RecordedRun.
RecordedRun prepare(const Experiment& experiment, const std::filesystem::path& scene,
                    const std::filesystem::path& recording);

// Runs to the end; false where SIGINT or SIGTERM stopped it. what: stands before the time on the progress line. Throws Error as
// RecordedRun::execute, with the scene and where the recording is.
bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what);

}  // namespace torsor::cli
