#pragma once
// The default search paths of plugins.

#include <filesystem>
#include <vector>

namespace torsor {

// Returns the non-empty paths in TORSOR_PLUGIN_PATH, which are separated by colons.
std::vector<std::filesystem::path> environment_plugin_paths();

// Returns the folder of the user's own plugins, which may not exist: torsor/plugins in
// XDG_DATA_HOME or in ~/.local/share. Returns "" if there is no home.
std::filesystem::path own_plugin_path();
// Returns ../lib/torsor/plugins, relative to the folder of the program.
std::filesystem::path built_in_plugin_path();

// Returns the paths of TORSOR_PLUGIN_PATH, then the user's own folder and the built-in one if they
// exist. Returns the built-in one if there is no other.
std::vector<std::filesystem::path> default_plugin_paths();

}  // namespace torsor
