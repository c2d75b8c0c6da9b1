#pragma once
// Loading a file on a thread of its own, so that a script that takes its time stops nothing.

#include <mutex>
#include <optional>
#include <thread>

#include "editor/session/session.hpp"
#include "torsor/host/file_watch.hpp"
#include "torsor/simulation/player.hpp"

namespace torsor::editor {

class Loader {
 public:
  struct Result {
    std::shared_ptr<const Scene> scene;        // null where it failed
    std::unique_ptr<Player> player;            // at its start
    std::vector<std::filesystem::path> files;  // that were read
    FileWatch::Time started;
    std::vector<Problem> problems;
  };

  Loader(const Registry& registry, const SessionOptions& options);
  ~Loader();

  void start();
  void stop();
  bool busy() const;
  // Once, when the load has ended; busy until then.
  std::optional<Result> take();

 private:
  Result load(Script& script);

  const Registry& registry_;
  const SessionOptions& options_;
  mutable std::mutex mutex_;
  std::shared_ptr<Script> script_;
  std::optional<Result> result_;
  std::vector<Problem> printed_;  // of the thread
  bool busy_ = false;
  std::thread thread_;
};

// A robot by itself: let go at q = 0, for ten seconds.
Experiment experiment_of(const RobotDescription& robot);

}  // namespace torsor::editor
