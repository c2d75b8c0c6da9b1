#pragma once
// A run on its own thread. The window posts commands, which are executed in order, and reads
// published states. Neither side waits for the other. They share only immutable SessionState
// objects.

#include <chrono>
#include <memory>
#include <optional>
#include <shared_mutex>

#include "editor/session/command.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::editor {

struct SessionOptions {
  std::filesystem::path file;  // a file that can_be_opened(); "": no file yet
  Overrides overrides;
  // Folder of the journal, which stores the edits of a run; "": no journal.
  std::filesystem::path journal_folder;
  // Scene or robot that replaces the one named in a recording; "": no replacement.
  std::filesystem::path model = {};
  // Joint between the world and the root link of a robot file: true: floating, false: fixed.
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
  // Starts loading the file with these plugins. Plugins are reloaded when their files change.
  Session(Registry plugins, SessionOptions options);
  ~Session();

  std::shared_ptr<const SessionState> now() const;
  Permission permission() const { return options_.permission(); }
  // Returns whether all requests are complete. Playback does not count as a request.
  bool idle() const;
  // Returns the plugin call that has blocked the run for more than five seconds, such as "solver
  // 'solver.x' in forward", or "".
  std::string hanging_call();

  // Queues a command. Commands are executed in order. While the run computes up to a step, only
  // commands about time and messages are executed. A failed command is reported in Problems.
  void post(Command command);

  // Closes the scene and starts loading another file. now() has no scene until it is loaded.
  void open(std::filesystem::path file, bool floating_base);
  // Stops a load, a recording or a computation immediately, or else pauses the run. Discards
  // waiting commands.
  void stop();

 private:
  class Worker;
  const SessionOptions options_;  // options of the first file
  // Locked while the worker is replaced, because other threads also call now() and idle().
  mutable std::shared_mutex opening_;
  std::unique_ptr<Worker> worker_;
  std::string hanging_call_;  // the result of the last query
  std::chrono::steady_clock::time_point next_question_{};
};

}  // namespace torsor::editor
