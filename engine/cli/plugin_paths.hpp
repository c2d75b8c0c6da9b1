#pragma once
// The option --plugins, and what broken plugin files mean to a command that needs plugins.

#include <filesystem>
#include <vector>

#include "torsor/host/registry.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

// --plugins PATH, repeatable: stored in paths, which must outlive the parsing.
void add_plugins_option(CLI::App& command, std::vector<std::filesystem::path>& paths);

// The plugins of the paths of --plugins, looked in first, and of default_plugin_paths(). Throws Error where a
// path does not exist.
Registry find_plugins(const std::vector<std::filesystem::path>& paths);

// Throws Error for the first file skipped in a path that the user gave, by --plugins or TORSOR_PLUGIN_PATH: he would compute with
// another plugin than he thinks. Subfolders are no files. Warns of those in his own folder.
void require_sound(const Registry& registry, const std::vector<std::filesystem::path>& paths);

// Both, for a command that computes.
Registry require_plugins(const std::vector<std::filesystem::path>& paths);

}  // namespace torsor::cli
