#pragma once
// Loads a file on a thread of its own, so that a slow script does not block the run.

#include <mutex>
#include <optional>

#include "editor/session/session.hpp"
#include "torsor/host/file_watch.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/run/player.hpp"

namespace torsor::editor {

class Loader {
 public:
  struct Result {
    std::shared_ptr<const Registry> plugins;   // as their files are now
    std::shared_ptr<const Scene> scene;        // null where it failed
    std::unique_ptr<Player> player;            // at its start
    std::optional<Timeline> rows;              // of a recording
    std::vector<std::filesystem::path> files;  // that were read
    FileWatch::Time started;
    std::vector<Problem> problems;
    std::optional<AccessRequest> needed;  // the permission without which the load failed
  };

  explicit Loader(const SessionOptions& options) : options_(options) {}
  ~Loader();

  // Starts a load with these plugins; those whose files have changed are loaded again.
  void start(std::shared_ptr<const Registry> plugins,
             std::vector<std::filesystem::path> changed = {});
  void stop();
  bool busy() const;
  // Returns the result once, when the load has ended; busy() until then.
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
  std::vector<Problem> printed_;  // of the thread
  bool busy_ = false, stopped_ = false;
  std::jthread thread_;
};

// Returns an experiment for a robot without a scene: released at q = 0, for ten seconds.
Experiment experiment_of(const RobotDescription& robot);

}  // namespace torsor::editor
