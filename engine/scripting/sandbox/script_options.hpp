#pragma once
// Options for running a Lua script: limits, module folder, plugins, permission.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/host/trust.hpp"

namespace torsor {

class Registry;
class ScriptCache;

struct ScriptLimits {
  // Maximum number of Lua instructions. Library functions are charged an equivalent number of
  // steps. The default corresponds to about one second of computation.
  long long steps = 100'000'000;
  size_t memory = size_t(128) << 20;  // maximum memory of Lua and engine, in bytes
  // Time limit in s of wall time. It stops work that steps do not measure, such as comparisons of
  // very long strings. It is far longer than the time that the allowed steps take.
  double seconds = 60;
};

// Access to studies for a script, which the program that runs the script grants. Scenes have none.
struct StudyAccess {
  std::filesystem::path folder = "recordings";  // for tables and other files
  unsigned jobs = 1;                            // workers of a study that does not set them
  // Called when a study begins whose table has `before` results in `rows` rows. Returns a function
  // that is called about 20 times per second with the number of results. May be empty.
  std::function<std::function<void(uint64_t results)>(uint64_t rows, uint64_t before)> progress =
      {};
  // Draws outcomes of a table: writes the picture `picture` to a file (docs/studies.md).
  std::function<void(const std::filesystem::path& table, const std::vector<std::string>& outcomes,
                     const std::string& picture, const std::filesystem::path& out)>
      draw = {};
};

struct ScriptOptions {
  std::filesystem::path scripts = {};  // module folder; empty: default_script_folder()
  ScriptLimits limits = {};
  // Receives each line of print. Empty: lines are written to stderr.
  std::function<void(std::string_view)> print = {};
  // The plugins that the script can use. Null: no plugins are available.
  const Registry* plugins = nullptr;
  // Stop flag, may be null. When it becomes true, the script ends with an error, during loading or
  // in a function that a run calls later. The flag must outlive these functions.
  const std::atomic<bool>* stop = nullptr;
  // Asks the user whether the script may load a binary plugin, or read a file outside its own
  // folder and `scripts`. Empty: neither is allowed.
  Permission permission = {};
  // Lets the script run studies. Null: it cannot. Must outlive the script.
  const StudyAccess* studies = nullptr;
  // Files that other scripts with the same options have read. Null: every file is read.
  std::shared_ptr<ScriptCache> cache = nullptr;
  // False: shapes of links that are only drawn are not read, because nobody will draw them.
  bool visuals = true;
};

// Names and values of parameters that the user has set, as in `--set name=value`. Each value is
// converted to the type of the default that it replaces.
using Overrides = std::map<std::string, std::string>;

}  // namespace torsor
