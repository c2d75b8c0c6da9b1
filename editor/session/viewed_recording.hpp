#pragma once
// A recording shown as a run: its rows are the kept states of a time line.

#include <memory>

#include "editor/session/moment.hpp"
#include "editor/session/session.hpp"
#include "torsor/run/player.hpp"

namespace torsor::editor {

bool is_recording(const std::filesystem::path& file);

struct ViewedRecording {
  std::shared_ptr<const Recording> recording;
  // That it is a run of: its file and parameters, or the model given in its place.
  SessionOptions scene;
};
// Reads a recording. Throws Error if it cannot be read, has no row, or its scene is not found.
ViewedRecording view_recording(const SessionOptions& options);

// Gives the experiment of the scene the recording's time step, end and solver. Reports what the
// scene says differently now. given: the scene was given in place of the recording's own, and is
// not compared.
void follow_recording(const Recording& recording, const std::filesystem::path& scene, bool given,
                      Experiment& experiment, std::vector<Problem>& problems);

// Returns the edits of the run by step, without those that cannot be applied here, which are
// reported. player: of the scene, at its start; some edits stay applied to it. Throws Error if the
// edits are malformed.
std::vector<Change> edits_of(const Recording& recording, Player& player,
                             const std::filesystem::path& file, std::vector<Problem>& problems);

// Returns a time line with one state per row: the start, with the recorded positions and velocities
// of each robot. Reports what was not recorded, numbers that are not finite, and missing rows.
// Throws Error if no positions were recorded, for columns of another model, and for times that do
// not ascend by whole steps.
Timeline timeline_of(const Recording& recording, const std::vector<Change>& edits,
                     const Experiment& experiment, const Snapshot& start,
                     std::vector<Problem>& problems);

// Returns a signal of all dof ("vdot", "tau") at the row shown, [n_v]; nullopt if it was not
// recorded for some robot.
std::optional<std::vector<double>> recorded_now(const Moment& moment, const char* signal);

// The signals of a recording, each with its first column and number of columns.
struct RecordedSignal {
  std::string name;
  size_t first, count;
};
std::vector<RecordedSignal> recorded_signals(const Recording& recording);

}  // namespace torsor::editor
