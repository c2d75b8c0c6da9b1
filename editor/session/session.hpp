#pragma once
// A run on a thread of its own. The window posts requests, which are executed in order, and reads
// moments. Neither side waits for the other, and they share only what a Moment holds.

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
  std::filesystem::path file;  // .lua, .urdf, or a recording; "": none yet
  Overrides overrides;
  // Folder of the journal, which keeps the edits of a run; "": no journal.
  std::filesystem::path journal_folder;
  // Of a recording: a scene or robot in place of the one that it names.
  std::filesystem::path model = {};
  // Of a .urdf file: its root link is carried by a floating joint, else fixed.
  bool floating_base = false;
  // Decide on plugins of machine code and on files outside the folder of a scene. allow_plugins:
  // all are allowed. trust: null denies all.
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
  // Starts loading the file, with these plugins until their files change.
  Session(Registry plugins, SessionOptions options);
  ~Session();

  std::shared_ptr<const Moment> now() const;
  Permission permission() const { return options_.permission(); }
  // Returns whether all requests are done. Playing does not count.
  bool idle() const;
  // Returns the call of a plugin that has kept the run for more than five seconds, as "solver
  // 'solver.x' in forward", or "".
  std::string hanging_call();

  void play();  // to the limit; from there, as far again
  void pause();
  void play_or_pause();
  void step(long long steps);  // from where it stands, either way, and pause
  // Goes to a step and simulates up to it if the run has not reached it yet. Playing continues.
  void go(long long step);
  void set_speed(double speed);    // simulated seconds per second, 1/64 to 64
  void change_speed(int octaves);  // by powers of two
  // Makes playing wait at this step until it is set again or removed, so that a video gets all of
  // its pictures.
  void hold_at(std::optional<long long> step);

  // Edit the run at its present step. scene: the one in which the user saw the run. Continued edits
  // of one drag are undone as one.
  void set_position(std::shared_ptr<const Scene> scene, int column, double value,
                    bool continued = false);
  void set_velocity(std::shared_ptr<const Scene> scene, int column, double value,
                    bool continued = false);
  void set_torque(std::shared_ptr<const Scene> scene, int v_index, double value,
                  bool continued = false);
  void set_solver(const std::string& id);
  // Pulls a point of a frame's body to a point of the world, by the spring that make_pull() returns
  // where the drag begins.
  void pull(std::shared_ptr<const Scene> scene, const std::string& frame,
            const Vec3<double>& point_F, const Vec3<double>& target_W, bool continued = false);
  void release(std::shared_ptr<const Scene> scene);  // ends the drag
  // Sets a parameter of a control, ROBOT.CONTROL, or of the trajectory that it follows.
  enum class Of { law, reference };
  void set_parameter(std::shared_ptr<const Scene> scene, const std::string& control, Of of,
                     const Parameter& parameter, bool continued = false);
  // Keeps this run and continues with a copy that ends at the present step. "": a default name.
  void fork(const std::string& name = "");
  void choose_fork(const std::string& name);  // continues with it where it was left
  void drop_fork(const std::string& name);    // not the active one
  // Keeps the present state. show_snapshot() returns to it: on this run if it still passes through
  // it, else on the run that did; undo then brings this run back.
  void keep_snapshot(const std::string& name = "");
  void show_snapshot(const std::string& name);
  void drop_snapshot(const std::string& name);
  void undo();
  void redo();
  void clear_edits();  // removes all edits of this run; undo brings them back

  // Closes the scene and opens another file. Moments have no scene until that is loaded.
  void open(std::filesystem::path file, bool floating_base);
  // Loads the file again, and runs it to the present time with the edits that still fit; the others
  // are reported. A load that fails leaves everything as it is and says why.
  void reload();
  // Stops a load, a recording or a computation at once, else pauses the run; discards the requests
  // that wait.
  void stop();
  // Writes FOLDER/SCENE.h5 of the whole run with its edits, as `torsor run` does. If that file
  // exists and is not to be replaced, the name gets a number.
  void save_recording(const std::filesystem::path& folder, bool replace = false);
  // Keeps edits, forks and snapshots for the next session of this scene.
  void keep_work();
  void report(Problem problem);
  void clear_problems();

 private:
  class Worker;
  const SessionOptions options_;  // of the first file
  // Held while another worker takes its place: threads beside the window's ask for moments too.
  mutable std::shared_mutex opening_;
  std::unique_ptr<Worker> worker_;
  std::string hanging_call_;  // as it was last asked for
  std::chrono::steady_clock::time_point next_question_{};
};

}  // namespace torsor::editor
