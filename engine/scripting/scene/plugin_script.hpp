#pragma once
// Loads a Lua file that defines plugins with torsor.solver(name, {...}) and similar calls, and
// finds the plugins of a program.

#include <filesystem>
#include <memory>
#include <vector>

#include "torsor/host/registry.hpp"
#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// Runs the file to read its plugin definitions. Each plugin object later runs the file again in its
// own Lua state. Throws Error if the file cannot be loaded. The message is a clause whose subject
// is the file ("cannot be read"), as Registry::ScriptLoader requires.
std::shared_ptr<const PluginSource> load_plugin_script(const std::filesystem::path& file);

// Searches for plugins in `paths` and then in default_plugin_paths(), and adds the generated
// solver. Throws Error if a path does not exist.
Registry find_all_plugins(const std::vector<std::filesystem::path>& paths);

}  // namespace torsor
