#pragma once
// A finished recording as a run that is looked at: its rows are the kept states of a time line.

#include <memory>

#include "editor/session/moment.hpp"
#include "editor/session/session.hpp"
#include "torsor/simulation/player.hpp"

namespace torsor::editor {

bool is_recording(const std::filesystem::path& file);

struct ViewedRecording {
  std::shared_ptr<const Recording> recording;
  SessionOptions scene;  // that it is a run of: its file and parameters, or the model given in its place
};
// Throws Error where it cannot be read, has no row, or its scene is not to be found.
ViewedRecording view_recording(const SessionOptions& options);

// Lets the experiment of the scene have the recording's step, end and solver, and says where what the run was made with is not what
// the scene says now. given: the scene is another than the recording's own, and is not compared.
void follow_recording(const Recording& recording, const std::filesystem::path& scene, bool given,
                      Experiment& experiment, std::vector<Problem>& problems);

// The edits of the run, in order of their steps, without those that cannot be put in force here, which is said. player: of the scene,
// at its start; it is left with some of them. Throws Error for what are no edits.
std::vector<Change> edits_of(const Recording& recording, Player& player, const std::filesystem::path& file,
                             std::vector<Problem>& problems);

// Each row as the start with the positions and velocities recorded of each robot; what was not recorded stays as at the start,
// which is said, as are numbers and rows that are missing. Throws Error where the positions of no robot were recorded, for columns of another model, and for times that do not
// ascend by steps.
Timeline timeline_of(const Recording& recording, const std::vector<Change>& edits,
                     const Experiment& experiment, const Snapshot& start, std::vector<Problem>& problems);

// A signal of all columns of v ("vdot", "tau") as it was recorded at the row shown, [n_v]; nothing where it was not, of some robot.
std::optional<std::vector<double>> recorded_now(const Moment& moment, const char* signal);

// The signals of a recording with their columns: first column and count.
struct RecordedSignal {
  std::string name;
  size_t first, count;
};
std::vector<RecordedSignal> recorded_signals(const Recording& recording);

}  // namespace torsor::editor
