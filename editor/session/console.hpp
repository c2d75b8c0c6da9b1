#pragma once
// Lua beside the run, on a thread of its own: what a chunk does to the run are actions, done in the window's thread in turn; what it
// computes is of the moment that it began at, or of the one after its last action.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "editor/session/session.hpp"
#include "torsor/host/plugin_thread.hpp"

namespace torsor::editor {

class Console {
 public:
  struct Line {
    enum class Kind { input, output, error, note } kind;
    std::string text;
  };
  // What a chunk is to be completed by, for the text that it was asked for.
  struct Completions {
    std::string text;
    std::vector<std::string> names;
  };
  using Action = std::function<void(const std::string& name, const std::vector<std::string>& arguments)>;

  // print: also takes what is printed and what goes wrong, line by line, in the console's thread.
  explicit Console(const Session& session, std::function<void(const std::string&)> print = {});
  ~Console();

  void run(const std::string& chunk);
  void complete(const std::string& text);
  // Ends the chunk that runs and those that wait. Where a plugin's call does not come back, the second time breaks it off.
  void stop();
  void clear();
  // At the start of a frame: does the actions that chunks ask for, for some milliseconds at most, and lets go of a scene that is no longer there.
  void serve(const Action& action);

  // Some chunk runs or waits.
  bool busy() const;
  // Of all lines so far, once they are others than those of a revision; the last thousands of them.
  long revision() const { return revision_; }
  std::vector<Line> lines() const;
  std::optional<Completions> take_completions();
  // How the first chunk that failed since this was asked last did.
  std::optional<std::string> take_failure();

 private:
  class Live;
  struct Asked {
    std::string name;
    std::vector<std::string> arguments;
    std::string error{};  // how it failed
    bool done = false;
  };

  void loop();
  void say(Line::Kind kind, const std::string& text);
  void act(const std::string& name, const std::vector<std::string>& arguments);
  void run_chunk(const std::string& chunk);
  void require_going() const;

  const Session& session_;
  const std::function<void(const std::string&)> print_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wake_, served_;
  std::deque<std::string> chunks_;
  std::optional<std::string> to_complete_;
  std::optional<Completions> completions_;
  std::optional<std::string> failure_;
  std::optional<Asked> asked_;
  std::deque<Line> lines_;
  const Scene* scene_ = nullptr;  // that was last looked at
  bool scene_changed_ = false, running_ = false, quit_ = false;

  std::atomic<long> revision_ = 0;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<Live> live_;  // of the thread
  PluginThread thread_;         // last: it starts when all the others are there
};

}  // namespace torsor::editor
