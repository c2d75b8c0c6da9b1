#pragma once
// The default paths that are searched for plugins.

#include <filesystem>
#include <vector>

namespace torsor {

// Returns the paths in the environment variable TORSOR_PLUGIN_PATH (separated by colons), without
// empty ones.
std::vector<std::filesystem::path> environment_plugin_paths();

// Returns the folder for the user's own plugins: torsor/plugins in XDG_DATA_HOME or in
// ~/.local/share. The folder need not exist. Returns "" if there is no home folder.
std::filesystem::path own_plugin_path();
// Returns the folder of the built-in plugins, lib/torsor/plugins in prefix().
std::filesystem::path built_in_plugin_path();

// Returns the default search paths in this order: the paths of TORSOR_PLUGIN_PATH, the user's own
// folder, the built-in folder. The two folders are included only if they exist. If the list would
// be empty, returns the built-in folder.
std::vector<std::filesystem::path> default_plugin_paths();

}  // namespace torsor
