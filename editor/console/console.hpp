#pragma once
// The Lua console. Its thread runs Lua chunks on the current run. A chunk changes the run by
// actions, which the window's thread executes in order. A chunk reads the state at its start, or
// the state after its last action.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "torsor/loading/fault_report.hpp"

namespace torsor::editor {

class Session;
struct Scene;

class Console {
 public:
  struct Line {
    enum class Kind { input, output, error, note } kind;
    std::string text;
  };
  // The names that can complete `text`.
  struct Completions {
    std::string text;
    std::vector<std::string> names;
  };
  using Action =
      std::function<void(const std::string& name, const std::vector<std::string>& arguments)>;

  // print is called in the console's thread with each line of output, errors and notes.
  explicit Console(const Session& session, std::function<void(const std::string&)> print = {});
  ~Console();

  void run(const std::string& chunk);
  void complete(const std::string& text);
  // Ends the active chunk and discards the waiting chunks.
  void stop();
  void clear();
  // Runs the actions that chunks request, for a few milliseconds at most. Must be called at the
  // start of each frame. Makes the console release a scene that is no longer shown.
  void serve(const Action& action);

  // Returns whether a chunk is running or waiting.
  bool busy() const;
  // The revision changes whenever the lines change. lines() returns the last few thousand lines.
  long revision() const { return revision_; }
  std::vector<Line> lines() const;
  std::optional<Completions> take_completions();
  // Returns the error of the first chunk that failed since the last call.
  std::optional<std::string> take_failure();

 private:
  class Live;
  struct Asked {
    std::string name;
    std::vector<std::string> arguments;
    std::string error{};  // error of the action, or ""
    bool done = false;
  };

  void loop();
  void say(Line::Kind kind, const std::string& text);
  void act(const std::string& name, const std::vector<std::string>& arguments);
  void run_chunk(const std::string& chunk);
  void require_going() const;

  const Session& session_;
  const std::function<void(const std::string&)> print_;

  mutable std::mutex mutex_;  // protects the members below
  std::condition_variable wake_, served_;
  std::deque<std::string> chunks_;
  std::optional<std::string> to_complete_;
  std::optional<Completions> completions_;
  std::optional<std::string> failure_;
  std::optional<Asked> asked_;
  std::deque<Line> lines_;
  const Scene* scene_ = nullptr;  // the scene at the last call of serve()
  bool scene_changed_ = false, running_ = false, quit_ = false;

  std::atomic<long> revision_ = 0;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<Live> live_;  // used only by the console's thread
  std::jthread thread_;         // last: starts when all other members exist
};

}  // namespace torsor::editor
