#pragma once
// Loads a file on its own thread, so that a slow script does not block the run.

#include <mutex>
#include <optional>

#include "editor/session/problem.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_options.hpp"
#include "torsor/host/file_watch.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/run/player.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor {
class Script;
struct RobotDescription;
}  // namespace torsor

namespace torsor::editor {

class Loader {
 public:
  struct Result {
    std::shared_ptr<const Registry> plugins;   // the plugins after this load
    std::shared_ptr<const Scene> scene;        // null if the load failed
    std::unique_ptr<Player> player;            // at its initial state
    std::optional<Timeline> rows;              // rows of a recording
    std::vector<std::filesystem::path> files;  // files that were read
    FileWatch::Time started;
    std::vector<Problem> problems;
    std::optional<AccessRequest> needed;  // the missing permission that made the load fail
  };

  explicit Loader(const SessionOptions& options) : options_(options) {}
  ~Loader();

  // Starts a load with these plugins. Reloads the plugins in the files `changed`. Stops an earlier
  // load.
  void start(std::shared_ptr<const Registry> plugins,
             std::vector<std::filesystem::path> changed = {});
  void stop();
  bool busy() const;
  // Returns the result of a completed load, and nullopt on later calls. busy() is true until the
  // result has been returned.
  std::optional<Result> take();

 private:
  using Files = std::vector<std::filesystem::path>;
  Result load(const Registry& plugins, const Files& changed);
  void load_file(Result& result);
  void load_recording(Result& result);
  void load_scene(Result& result, const SessionOptions& options,
                  const std::function<void(Experiment&)>& adapt = {});
  void lint_scene(Result& result, const SessionOptions& options);
  std::shared_ptr<Script> make_script(const Registry& plugins, bool quiet = false);

  const SessionOptions& options_;
  mutable std::mutex mutex_;
  std::shared_ptr<Script> script_;
  std::optional<Result> result_;
  std::vector<Problem> printed_;  // used by the thread
  bool busy_ = false, stopped_ = false;
  std::jthread thread_;
};

// Returns an experiment for a robot without a scene. The robot is released at rest at its neutral
// positions and simulated for ten seconds.
Experiment experiment_of(const RobotDescription& robot);

}  // namespace torsor::editor
