#pragma once
// A Lua prompt next to a run. It runs one chunk after another in the same sandbox and keeps the
// variables.
//
// Chunks see the same functions as scenes. They also see the robots of the run by name, `state`,
// and functions for the actions of its owner: play(), step(n), set_q(joint, value), action(name,
// ..).

#include <atomic>

#include "torsor/scripting/prompt/live_run.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor {

class Prompt {
 public:
  // stop ends the running chunk; the next chunk keeps the variables that it has set. Modules are
  // also searched next to `file`. options.print is ignored.
  Prompt(ScriptOptions options, const std::filesystem::path& file, LiveRun& run,
         const std::atomic<bool>& stop);
  ~Prompt();

  // Runs a chunk and prints the values of an expression. The first value is then `_`. Throws Error,
  // one line "console:1: what".
  void run(const std::string& chunk);
  // Returns the names that can complete the last name of a string such as "arm.q", sorted. Calls no
  // functions of the user.
  std::vector<std::string> completions(const std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns whether a chunk ends too early, as "for i = 1, 3 do" does. May be called from any thread.
bool is_incomplete(const std::string& chunk);

}  // namespace torsor
