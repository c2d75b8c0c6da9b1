#pragma once
// Immutable values that the session's thread publishes for the window.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "editor/session/unsaved_work.hpp"
#include "torsor/host/trust.hpp"
#include "torsor/run/recorded_run.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor::editor {

// A message for the user: an error, a warning or a note.
struct Problem {
  enum class Kind { error, warning, note } kind;
  std::string text;  // one line, "file:line: what" if there is a place
  // Its subject. Messages about a load are erased by the next load that succeeds, those about a
  // failed load by any load.
  enum class Of { run, load, failed_load } of = Of::run;
  long number = 0;  // counted from 1 since the window was opened
};

struct SolverChoice {
  std::string id;
  std::string refusal;  // why it does not take the scene's model, or ""
};

// The result of loading a file.
struct Scene {
  std::filesystem::path file;
  Experiment experiment;
  std::vector<SolverChoice> solvers;
  long long steps;                     // of its duration
  std::vector<RebuiltPlugin> rebuilt;  // with which its run has gone on
  // Whose rows are shown, which nothing changes; null: it is run.
  std::shared_ptr<const Recording> recording;
  std::vector<Change> edits =
      {};  // of the recording; on its time line each stands at the first row that shows it

  const Model& model() const { return *experiment.model; }
  const Registry& plugins() const { return *experiment.plugins; }  // it has some
};

// A named run of the scene, with its present step, or its step when it was kept.
struct KeptRun {
  std::string name;
  Timeline timeline{Snapshot{}};  // its start alone where it is still to be made again
  long long step = 0, end = 0;
};

// A published state of the session.
struct Moment {
  // Of the last load that went well; null before the first.
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<const Registry> plugins;  // that a scene is loaded with; its own are the scene's
  Snapshot state;
  Timeline timeline{Snapshot{}};
  long long limit = 0;  // step at which playing ends
  bool playing = false;
  bool going = false;        // to a step that it was sent to
  std::string task;          // task in progress, such as "loading scene.lua"; "": none
  double task_progress = 0;  // 0 to 1; 0 where it is not known
  // Step beyond which playing was not to go, where it has come to it.
  std::optional<long long> held_at;
  double speed = 1;             // asked for, simulated seconds per second
  double real_time_factor = 0;  // measured; 0 while it stands
  int undoable = 0, redoable = 0;
  // All forks as they were last left, the index of the active one, and the snapshots.
  std::shared_ptr<const std::vector<KeptRun>> forks = std::make_shared<std::vector<KeptRun>>(),
                                              snapshots = forks;
  size_t fork = 0;
  // Oldest first.
  std::shared_ptr<const std::vector<Problem>> problems = std::make_shared<std::vector<Problem>>();
  // Errors and all problems since the window was opened, with those that are no longer listed.
  long errors = 0, reported = 0;
  // The permission that the last load needed and did not have: a new object for each load; null:
  // none.
  std::shared_ptr<const AccessRequest> needed;
  UnsavedWork unsaved;      // lost when the scene is closed, unless it is kept
  bool keeps_work = false;  // Session::keep_work() can keep it

  // Returns the edits of the run, by step.
  const std::vector<Change>& edits() const {
    return editable() ? timeline.changes() : scene->edits;
  }
  bool editable() const { return !scene->recording; }
  double time() const { return double(state.step) * scene->experiment.dt; }
  // Return the active solver id, and the constant torques applied [n_v].
  const std::string& solver() const {
    const auto* change = timeline.in_force<SolverChange>(state.step);
    return change ? change->solver : scene->experiment.solver;
  }
  const std::vector<double>& torque() const {
    const auto* change = timeline.in_force<TorqueChange>(state.step);
    return change ? change->tau : scene->experiment.load.tau;
  }
};

// Returns the text of the last error, or "".
inline std::string last_error(const Moment& moment) {
  for (auto problem = moment.problems->rbegin(); problem != moment.problems->rend(); ++problem)
    if (problem->kind == Problem::Kind::error) return problem->text;
  return "";
}

}  // namespace torsor::editor
