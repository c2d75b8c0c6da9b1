#include "torsor/cli/options/plugin_paths.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <system_error>

#include "torsor/base/print_message.hpp"
#include "torsor/loading/search_paths.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"

namespace torsor::cli {

namespace fs = std::filesystem;

void add_plugins_option(CLI::App& command, std::vector<fs::path>& paths) {
  command
      .add_option(
          "--plugins", paths,
          "plugin file (.so or .lua) or folder of plugin files, searched before "
          "TORSOR_PLUGIN_PATH, your own plugin folder and the built-in plugins; may be repeated")
      ->type_name("PATH");
}

Registry find_plugins(const std::vector<fs::path>& paths) {
  return find_all_plugins(paths);
}

void require_sound(const Registry& registry, const std::vector<fs::path>& paths) {
  std::vector<fs::path> given = paths;
  for (const fs::path& path : environment_plugin_paths()) given.push_back(path);
  for (const SkippedFile& skipped : registry.skipped()) {
    std::error_code ignored;
    if (fs::is_directory(skipped.file, ignored)) continue;
    if (std::find(given.begin(), given.end(), skipped.path) != given.end())
      throw Error(fmt::format("plugin file '{}' {}", skipped.file.string(), skipped.reason));
    if (skipped.path == own_plugin_path())
      print_message(
          fmt::format("warning: plugin file '{}' {}", skipped.file.string(), skipped.reason));
  }
}

Registry require_plugins(const std::vector<fs::path>& paths) {
  Registry registry = find_plugins(paths);
  require_sound(registry, paths);
  return registry;
}

void require_solver(const Registry& registry, const std::optional<std::string>& solver) {
  if (!solver) return;
  try {
    registry.find<Solver>(*solver);
  } catch (const Error& error) {
    throw Error(fmt::format("--solver {}: {}", *solver, error.what()));
  }
}

}  // namespace torsor::cli
