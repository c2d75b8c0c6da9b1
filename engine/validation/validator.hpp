#pragma once
// Tests a plugin file with all checks for each of its plugins. Each check runs in its own process
// with a time limit, so that a crash, a hang or a call of exit() is one line of the report.

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

enum class Outcome { passed, failed, not_applicable };

struct Line {
  std::string check, group;
  Outcome outcome;
  std::string text;  // the finding, or why the check does not apply
  double seconds;
};

struct PluginReport {
  std::string id, version, summary, family;
  std::vector<Line> lines;
};

struct Report {
  std::filesystem::path file;
  uint64_t seed;
  std::vector<PluginReport> plugins;     // one without an id if the file could not be loaded
  std::vector<std::string> robots = {};  // files of the robots for the test, for again()
  bool passed() const;
};

struct Options {
  std::string only = "";    // name of a check; empty: all
  std::string plugin = "";  // id of a plugin; empty: all of the file
  double time_limit = 10;   // of each check, s
  std::function<void(const std::string& plugin, const std::string& check)> progress = {};
  // Called for each finished line.
  std::function<void(const PluginReport& plugin, const Line& line)> done = {};
};

// Runs the checks. Throws Error for an unknown name of a check or plugin, and if the system lacks
// memory or processes.
Report validate(const Subject& subject, const Options& options);

// Returns the command that repeats the check of a line.
std::string again(const Report& report, const PluginReport& plugin, const Line& line);

// Returns the names of all checks, for plugins of any kind.
std::vector<std::string> check_names();
// Returns the names of the checks for the plugin of this id, in their order.
std::vector<std::string> check_names(const std::string& id);

}  // namespace torsor::validation
