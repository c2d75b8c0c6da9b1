#pragma once
// The option --plugins, and the search for plugins.

#include <filesystem>
#include <vector>

#include "torsor/host/registry.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

// Adds --plugins PATH, which may be repeated. `paths` must exist until the command line has been
// parsed.
void add_plugins_option(CLI::App& command, std::vector<std::filesystem::path>& paths);

// Searches for plugins in `paths` (the values of --plugins) and then in default_plugin_paths().
// Throws Error if a path does not exist.
Registry find_plugins(const std::vector<std::filesystem::path>& paths);

// Throws Error if a file in a path of --plugins or TORSOR_PLUGIN_PATH was skipped. Otherwise the
// user might compute with a different plugin than intended. Subfolders are ignored. For skipped
// files in the user's own plugin folder, only prints a warning.
void require_sound(const Registry& registry, const std::vector<std::filesystem::path>& paths);

// Calls find_plugins() and require_sound(). Used by commands that compute with plugins.
Registry require_plugins(const std::vector<std::filesystem::path>& paths);

// Throws Error if --solver was given but no solver has this name.
void require_solver(const Registry& registry, const std::optional<std::string>& solver);

}  // namespace torsor::cli
