#pragma once
// Tries a plugin file: every plugin in it, check after check, each in a process of its own with a limit of time, so that a crash, a
// hang or an end of the program is one line of the report.

#include "torsor/validation/trial.hpp"

namespace torsor::validation {

enum class Outcome { passed, failed, not_applicable };

struct Line {
  std::string check, group;
  Outcome outcome;
  std::string text;  // what holds, what is wrong, or why it does not apply
  double seconds;
};

struct PluginReport {
  std::string id, version, summary, family;
  std::vector<Line> lines;
};

struct Report {
  std::filesystem::path file;
  uint64_t seed;
  std::vector<PluginReport> plugins;     // one without an id where the file could not be loaded
  std::vector<std::string> robots = {};  // files that it was tried on, for again()
  bool passed() const;
};

struct Options {
  std::string only = "";    // a check; empty: all
  std::string plugin = "";  // an id; empty: all of the file
  double time_limit = 10;   // s, of each check
  std::function<void(const std::string& plugin, const std::string& check)> progress = {};
  std::function<void(const PluginReport& plugin, const Line& line)> done = {};  // each line once it is there
};

// Throws Error for a check of an unknown name, and where the system has no room.
Report validate(const Subject& subject, const Options& options);

// The command that runs one line again.
std::string again(const Report& report, const PluginReport& plugin, const Line& line);

// The names of all checks, of plugins of any kind.
std::vector<std::string> check_names();
// Of a plugin of this id, of a sound file, in their order.
std::vector<std::string> check_names(const std::string& id);

}  // namespace torsor::validation
