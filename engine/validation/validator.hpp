#pragma once
// Validates a plugin file: runs all checks for each of its plugins. Each check runs in its own
// process with a time limit. A crash, a hang or a call of exit() therefore fails only one line of
// the report.

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

enum class Outcome { passed, failed, not_applicable };

struct Line {
  std::string check, group;
  Outcome outcome;
  std::string text;  // result of the check, or why it does not apply
  double seconds;
};

struct PluginReport {
  std::string id, version, summary, family;
  std::vector<Line> lines;
};

struct Report {
  std::filesystem::path file;
  uint64_t seed;
  std::vector<PluginReport> plugins;     // one plugin without an id if the file cannot be loaded
  std::vector<std::string> robots = {};  // files of the test robots, used by again()
  bool passed() const;
};

struct Options {
  std::string only = "";    // name of the only check to run; "": all checks
  std::string plugin = "";  // id of the only plugin to test; "": all plugins
  double time_limit = 10;   // time limit of each check, s
  std::function<void(const std::string& plugin, const std::string& check)> progress = {};
  // Called for each line of the report when it is complete.
  std::function<void(const PluginReport& plugin, const Line& line)> done = {};
};

// Runs the checks. Throws Error for an unknown name of a check or plugin, or if the system cannot
// start a process.
Report validate(const Subject& subject, const Options& options);

// Returns the command line that repeats the check of a line.
std::string again(const Report& report, const PluginReport& plugin, const Line& line);

// Returns the names of the checks for plugins of all kinds.
std::vector<std::string> check_names();
// Returns the names of the checks for the plugin with this id, in the order in which they run.
std::vector<std::string> check_names(const std::string& id);

}  // namespace torsor::validation
