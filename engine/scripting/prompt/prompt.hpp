#pragma once
// A Lua prompt for a run. It executes chunks in one sandbox and keeps the variables between chunks.
//
// Chunks can call the functions that scenes can call. They can also use these names:
// - the robots of the run, by name;
// - `state`, the state of the complete model;
// - functions that perform actions: play(), step(n), set_q(joint, value), action(name, ..).

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "torsor/scripting/prompt/live_run.hpp"
#include "torsor/scripting/sandbox/script_options.hpp"

namespace torsor {

class Prompt {
 public:
  // Setting `stop` ends the running chunk. Variables that the chunk has already set remain.
  // `require` also searches the folder of `file`. options.print is ignored.
  Prompt(ScriptOptions options, const std::filesystem::path& file, LiveRun& run,
         const std::atomic<bool>& stop);
  ~Prompt();

  // Runs a chunk. If the chunk is an expression, prints its values and stores the first one in `_`.
  // Throws Error with a one-line message "console:1: what".
  void run(const std::string& chunk);
  // Returns all possible completions of the last name in a string such as "arm.q", sorted. Calls no
  // user functions.
  std::vector<std::string> completions(const std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns true if the chunk is an incomplete statement such as "for i = 1, 3 do". Thread-safe.
bool is_incomplete(const std::string& chunk);

}  // namespace torsor
