#pragma once
// Options of the commands that write the table of a study: `torsor study` and `torsor tune`.

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "torsor/cli/options/run_settings.hpp"
#include "torsor/scripting/study/studied_scene.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

struct TableOptions {
  unsigned jobs = 0;  // 0: one for each core
  std::string out = {};
  bool resume = false, replace = false;
  double limit = std::numeric_limits<double>::infinity();  // s
  std::filesystem::path folder = "recordings";
};

// Adds --jobs, --out, --resume, --replace, --limit and --folder. default_name: the name of the
// table on the help page. `options` must exist until the command line has been parsed.
void add_table_options(CLI::App& command, TableOptions& options, const char* default_name);

// Returns the path of the table: --out, or FOLDER/NAME. Throws Error if --out does not end in .h5.
std::filesystem::path table_path(const TableOptions& options, const std::string& name);
// Opens the table by open() if it exists and --resume is given. Otherwise creates it with the
// layout that layout() returns. Throws Error if it exists without --resume and --replace, and
// Interrupted if layout() was interrupted.
StudyTable open_table(const TableOptions& options, const std::filesystem::path& path,
                      const std::function<StudyTable()>& open,
                      const std::function<StudyLayout()>& layout);
// Returns the number of workers: --jobs, or one for each core.
unsigned jobs_of(const TableOptions& options);

// The scene of a command.
struct SceneOptions {
  std::string scene;
  RunSettings run = {};
  std::vector<std::string> settings = {};  // NAME=VALUE settings of --set
  std::vector<std::filesystem::path> plugins = {};
  bool allow_plugins = false;
  Permission permission = {};
};

// Adds --set, the options of RunSettings, --plugins and --allow-plugins.
void add_scene_options(CLI::App& command, SceneOptions& options);
// Returns the scene with its settings. The registry must outlive it. limit: wall time of a sample.
StudiedSceneRequest scene_request(const SceneOptions& options, const Registry& registry,
                                  double limit);

}  // namespace torsor::cli
