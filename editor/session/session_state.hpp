#pragma once
// Immutable values that the session's thread publishes for the window.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "editor/edits/unsaved_work.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/run/recorded_run.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor::editor {

// A message for the user: an error, a warning or a note.
struct Problem {
  enum class Kind { error, warning, note } kind;
  std::string text;  // one line, "file:line: what" if there is a place
  // Subject of the message. The next successful load erases messages about a load. The next load,
  // successful or not, erases messages about a failed load.
  enum class Of { run, load, failed_load } of = Of::run;
  long number = 0;  // counted from 1 since the window was opened
};

struct SolverChoice {
  std::string id;
  std::string rejection;  // reason why it rejects the scene's model, or ""
};

// The result of loading a file.
struct Scene {
  std::filesystem::path file;
  Experiment experiment;
  std::vector<SolverChoice> solvers;
  long long steps;                     // number of steps in its duration
  std::vector<RebuiltPlugin> rebuilt;  // plugins that were rebuilt during the run
  // The recording whose rows are shown. Its run cannot be edited. Null: the scene is simulated.
  std::shared_ptr<const Recording> recording;
  // Edits of the recording. In the time line, each edit is at the first row at or after its step.
  std::vector<Change> edits = {};

  const Model& model() const { return *experiment.model; }
  const Registry& plugins() const { return *experiment.plugins; }  // only valid if it has plugins
};

// A named run of the scene: a fork or a snapshot. step: current step of the fork, or step of the
// snapshot.
struct StoredRun {
  std::string name;
  Timeline timeline{Snapshot{}};  // only the start until the run is computed again
  long long step = 0, end = 0;
};

// A published state of the session.
struct SessionState {
  // The result of the last successful load, or null before the first.
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const Registry> plugins;  // plugins for loading a scene; a scene may add its own
  Snapshot state;
  Timeline timeline{Snapshot{}};
  long long limit = 0;  // step at which playback ends
  bool playing = false;
  bool seeking = false;      // true while the run moves to a requested step
  std::string task;          // task in progress, such as "loading scene.lua", or ""
  double task_progress = 0;  // 0 to 1; 0 if unknown
  // The step of command::HoldAt, if playback has reached it.
  std::optional<long long> held_at;
  double speed = 1;             // requested speed, simulated seconds per second
  double real_time_factor = 0;  // measured speed; 0 while paused
  int undoable = 0, redoable = 0;
  // All forks, the snapshots, and the index of the active fork. The entry of the active fork is not
  // up to date: see `timeline` and `state`.
  std::shared_ptr<const std::vector<StoredRun>> forks = std::make_shared<std::vector<StoredRun>>(),
                                                snapshots = forks;
  size_t fork = 0;
  // Problems, oldest first.
  std::shared_ptr<const std::vector<Problem>> problems = std::make_shared<std::vector<Problem>>();
  // errors: number of errors since the window was opened. reported: number of all problems since
  // then. Both include problems that are no longer listed.
  long errors = 0, reported = 0;
  // The missing permission of the last load, or null. Each load creates a new object.
  std::shared_ptr<const AccessRequest> needed;
  UnsavedWork unsaved;      // lost when the scene is closed, unless KeepWork saves it
  bool keeps_work = false;  // true if the command KeepWork can keep the work

  // Returns the edits of the run, by step.
  const std::vector<Change>& edits() const {
    return editable() ? timeline.changes() : scene->edits;
  }
  bool editable() const { return !scene->recording; }
  double time() const { return double(state.step) * scene->experiment.dt; }
  // solver() returns the id of the active solver, torque() the constant torques [n_v].
  const std::string& solver() const {
    const auto* change = timeline.active_change<SolverChange>(state.step);
    return change ? change->solver : scene->experiment.solver;
  }
  const std::vector<double>& torque() const {
    const auto* change = timeline.active_change<TorqueChange>(state.step);
    return change ? change->tau : scene->experiment.load.tau;
  }
};

// Returns the text of the last error, or "".
inline std::string last_error(const SessionState& now) {
  for (auto problem = now.problems->rbegin(); problem != now.problems->rend(); ++problem)
    if (problem->kind == Problem::Kind::error) return problem->text;
  return "";
}

}  // namespace torsor::editor
