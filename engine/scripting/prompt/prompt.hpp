#pragma once
// Lua at a prompt, beside a run: chunk after chunk in one sandbox, where what is assigned stays.
//
// It sees what scenes see, and of the run: its robots by their names, `state`, and functions that
// do what its owner can do: play(), step(n), set_q(joint, value), action(name, ..).

#include <atomic>

#include "torsor/scripting/prompt/live_run.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor {

class Prompt {
 public:
  // stop ends the chunk that runs; the next goes on with what that has left. file: modules beside
  // it are found. options.print is not asked.
  Prompt(ScriptOptions options, const std::filesystem::path& file, LiveRun& run,
         const std::atomic<bool>& stop);
  ~Prompt();

  // Prints the values of an expression; the first is then `_`. Throws Error, one line "console:1:
  // what".
  void run(const std::string& chunk);
  // What could stand in place of the name, "arm.q", that a text ends with; sorted. Calls nothing of
  // the user's.
  std::vector<std::string> completions(const std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether a chunk breaks off where more is to come, as "for i = 1, 3 do". Of any thread.
bool is_incomplete(const std::string& chunk);

}  // namespace torsor
