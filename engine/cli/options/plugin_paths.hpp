#pragma once
// The option --plugins, and the treatment of broken plugin files by commands that need plugins.

#include <filesystem>
#include <vector>

#include "torsor/host/registry.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

// Adds --plugins PATH, which may be repeated. paths must outlive the parsing.
void add_plugins_option(CLI::App& command, std::vector<std::filesystem::path>& paths);

// Finds the plugins in the paths of --plugins, then in default_plugin_paths(). Throws Error for a
// path that does not exist.
Registry find_plugins(const std::vector<std::filesystem::path>& paths);

// Throws Error for the first file that was skipped in a path of --plugins or TORSOR_PLUGIN_PATH,
// because the user would compute with another plugin than intended. Ignores subfolders. Warns about
// files skipped in the user's own folder.
void require_sound(const Registry& registry, const std::vector<std::filesystem::path>& paths);

// Calls find_plugins() and require_sound(), for a command that computes.
Registry require_plugins(const std::vector<std::filesystem::path>& paths);

// Throws Error if --solver was given and its value is not a solver.
void require_solver(const Registry& registry, const std::optional<std::string>& solver);

}  // namespace torsor::cli
