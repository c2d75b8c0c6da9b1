#pragma once
// A run on its own thread. The window posts requests, which are executed in order, and reads
// moments. Neither side waits for the other. They share only immutable Moment objects.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "editor/session/moment.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::editor {

struct SessionOptions {
  std::filesystem::path file;  // .lua, .urdf, or a recording; "": no file yet
  Overrides overrides;
  // Folder of the journal, which stores the edits of a run; "": no journal.
  std::filesystem::path journal_folder;
  // For a recording: a scene or robot that replaces the one that it names.
  std::filesystem::path model = {};
  // For a .urdf file: true attaches the root link by a floating joint, false fixes it.
  bool floating_base = false;
  // Permissions for machine code and for files outside the folder of a scene. allow_plugins allows
  // everything. Otherwise trust decides; null denies everything.
  bool allow_plugins = false;
  std::shared_ptr<Trust> trust = nullptr;

  Permission permission() const {
    return [all = allow_plugins, trust = trust](const AccessRequest& request) {
      return all || (trust && trust->allows(request));
    };
  }
};

class Session {
 public:
  // Starts loading the file. Uses these plugins until their files change.
  Session(Registry plugins, SessionOptions options);
  ~Session();

  std::shared_ptr<const Moment> now() const;
  Permission permission() const { return options_.permission(); }
  // Returns whether all requests are complete. Playback does not count as a request.
  bool idle() const;
  // Returns the plugin call that has blocked the run for more than five seconds, such as "solver
  // 'solver.x' in forward", or "".
  std::string hanging_call();

  void play();  // up to the limit; at the limit, extends it by the scene's duration
  void pause();
  void play_or_pause();
  // Moves by this many steps from the current step, forwards or backwards, and pauses.
  void step(long long steps);
  // Goes to a step. Simulates up to it if the run has not reached it yet. Playback continues.
  void go(long long step);
  void set_speed(double speed);    // simulated seconds per second, 1/64 to 64
  void change_speed(int octaves);  // by powers of two
  // Holds playback at this step until the step is set again or removed. This lets a video capture
  // all of its frames.
  void hold_at(std::optional<long long> step);

  // Edit the run at its current step. scene is the scene in which the user saw the run. Continued
  // edits of one drag are undone as one edit.
  void set_position(std::shared_ptr<const Scene> scene, int column, double value,
                    bool continued = false);
  void set_velocity(std::shared_ptr<const Scene> scene, int column, double value,
                    bool continued = false);
  void set_torque(std::shared_ptr<const Scene> scene, int v_index, double value,
                  bool continued = false);
  void set_solver(const std::string& id);
  // Pulls a point of a frame's body to a point of the world. The spring is the result of
  // make_pull() at the start of the drag.
  void pull(std::shared_ptr<const Scene> scene, const std::string& frame,
            const Vec3<double>& point_F, const Vec3<double>& target_W, bool continued = false);
  void release(std::shared_ptr<const Scene> scene);  // ends the drag
  // Sets a parameter of a control, ROBOT.CONTROL, or of the trajectory that it follows.
  enum class Of { law, reference };
  void set_parameter(std::shared_ptr<const Scene> scene, const std::string& control, Of of,
                     const Parameter& parameter, bool continued = false);
  // Keeps this run and continues with a copy that ends at the current step. "": a default name.
  void fork(const std::string& name = "");
  void choose_fork(const std::string& name);  // continues this fork at its last step
  void drop_fork(const std::string& name);    // the fork must not be active
  // keep_snapshot() saves the current state. show_snapshot() returns to it: on the current run if
  // this run still contains it, else on the saved run. Undo then restores the current run.
  void keep_snapshot(const std::string& name = "");
  void show_snapshot(const std::string& name);
  void drop_snapshot(const std::string& name);
  void undo();
  void redo();
  void clear_edits();  // removes all edits of this run; can be undone

  // Closes the scene and opens another file. Moments have no scene until it is loaded.
  void open(std::filesystem::path file, bool floating_base);
  // Reloads the file and simulates to the current time with the edits that still fit. The other
  // edits are reported. A failed load changes nothing and is reported.
  void reload();
  // Stops a load, a recording or a computation immediately, or else pauses the run. Discards
  // waiting requests.
  void stop();
  // Writes FOLDER/SCENE.h5 with the complete run and its edits, as `torsor run` does. If this file
  // exists and must not be replaced, adds a number to the name.
  void save_recording(const std::filesystem::path& folder, bool replace = false);
  // Saves edits, forks and snapshots for the next session of this scene.
  void keep_work();
  void report(Problem problem);
  void clear_problems();

 private:
  class Worker;
  const SessionOptions options_;  // options of the first file
  // Locked while the worker is replaced, because other threads than the window's also request
  // moments.
  mutable std::shared_mutex opening_;
  std::unique_ptr<Worker> worker_;
  std::string hanging_call_;  // the result of the last query
  std::chrono::steady_clock::time_point next_question_{};
};

}  // namespace torsor::editor
