#pragma once
// Loads a Lua file that defines plugins with torsor.solver(name, {...}) and similar calls.

#include <filesystem>
#include <memory>

#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// Runs the file to read its plugin definitions. Each plugin object later runs the file again in its
// own Lua state. Throws Error if the file cannot be loaded. The message is a clause whose subject
// is the file ("cannot be read"), as Registry::ScriptLoader requires.
std::shared_ptr<const PluginSource> load_plugin_script(const std::filesystem::path& file);

}  // namespace torsor
