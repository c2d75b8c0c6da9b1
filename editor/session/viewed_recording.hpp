#pragma once
// Shows a recording as a run: its rows are the stored states of a time line.

#include <memory>

#include "editor/session/problem.hpp"
#include "editor/session/session_options.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/run/player.hpp"

namespace torsor::editor {

struct SessionState;

struct ViewedRecording {
  std::shared_ptr<const Recording> recording;
  // Options that load the scene: the file and parameters of the run, or the model that replaces it.
  SessionOptions scene;
};
// Reads a recording. Throws Error if it cannot be read, has no row, or its scene is not found.
ViewedRecording view_recording(const SessionOptions& options);

// Sets the experiment's time step and solver to those of the recording. Reports the first
// difference between the scene now and when it was recorded, unless `given`. given: true if the
// user specified the scene. Throws Error if the description of the run is malformed.
void follow_recording(const Recording& recording, const std::filesystem::path& scene, bool given,
                      Experiment& experiment, std::vector<Problem>& problems);

// Returns the edits of the run by step. Omits and reports edits that cannot be applied. player: at
// the start of the scene; the edits except state changes are applied to it. Throws Error if the
// edits are malformed.
std::vector<Change> edits_of(const Recording& recording, Player& player,
                             const std::filesystem::path& file, std::vector<Problem>& problems);

// Returns a time line with one state per row: `start`, with the recorded positions and velocities
// of joints and motors. Reports missing signals, numbers that are not finite, and missing rows.
// Throws Error if no positions were recorded, if columns belong to another model, or if times do
// not increase by whole steps.
Timeline timeline_of(const Recording& recording, const std::vector<Change>& edits,
                     const Experiment& experiment, const Snapshot& start,
                     std::vector<Problem>& problems);

// Returns a signal of all dof ("vdot", "tau") at the current row, [n_v], or nullopt if it was not
// recorded for every robot.
std::optional<std::vector<double>> recorded_now(const SessionState& now, const char* signal);

// A signal of a recording, with its first column and number of columns.
struct RecordedSignal {
  std::string name;
  size_t first, count;
};
std::vector<RecordedSignal> recorded_signals(const Recording& recording);

}  // namespace torsor::editor
