#pragma once
// A run on its own thread. The window posts commands, which are executed in order, and reads
// published states. Neither side waits for the other. They share only immutable SessionState
// objects.

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "editor/session/command.hpp"
#include "torsor/host/trust.hpp"

namespace torsor {
class Registry;
}  // namespace torsor

namespace torsor::cli {
struct StudySample;
}

namespace torsor::editor {

struct SessionOptions;
struct SessionState;

class Session {
 public:
  // Starts loading the file with these plugins. Plugins are reloaded when their files change.
  Session(Registry plugins, SessionOptions options);
  ~Session();

  std::shared_ptr<const SessionState> now() const;
  Permission permission() const;  // that of the options
  // Returns the folders of packages in the options, by the name of the package.
  const std::map<std::string, std::filesystem::path>& packages() const;
  // Returns whether all requests are complete. Playback does not count as a request.
  bool idle() const;
  // Returns the plugin call that has blocked the run for more than five seconds, such as "solver
  // 'solver.x' in forward", or "".
  std::string hanging_call();

  // Queues a command. Commands are executed in order. While the run computes up to a step, only
  // commands about time and messages are executed. A failed command is reported in Problems.
  void post(Command command);

  // Closes the scene and starts loading another file. now() has no scene until it is loaded.
  // sample: the sample of a study that the scene repeats, or null.
  void open(std::filesystem::path file, bool floating_base,
            std::shared_ptr<const cli::StudySample> sample = nullptr);
  // Stops a load, a recording or a computation immediately, or else pauses the run. Discards
  // waiting commands.
  void stop();

 private:
  class Worker;
  const std::unique_ptr<const SessionOptions> options_;  // options of the first file
  // Locked while the worker is replaced, because other threads also call now() and idle().
  mutable std::shared_mutex opening_;
  std::unique_ptr<Worker> worker_;
  std::string hanging_call_;  // the result of the last query
  std::chrono::steady_clock::time_point next_question_{};
};

}  // namespace torsor::editor
