#pragma once
// Immutable values that the session's thread publishes for the window.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "editor/edits/unsaved_work.hpp"
#include "editor/session/problem.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor {
class Registry;
struct AccessRequest;
}  // namespace torsor

namespace torsor::editor {

struct Scene;

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
  const std::vector<Change>& edits() const;
  bool editable() const;  // false for a recording
  double time() const;    // s
  // solver() returns the id of the active solver, constraint_solver() the active constraint solver,
  // torque() the constant torques [n_v].
  const std::string& solver() const;
  const ConstraintSolverChoice& constraint_solver() const;
  const std::vector<double>& torque() const;
};

// Returns the text of the last error, or "".
std::string last_error(const SessionState& now);

}  // namespace torsor::editor
