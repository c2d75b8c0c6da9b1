#pragma once
// Loads a file that defines plugins with torsor.solver(name, {...}) and similar calls, as a source
// for a Registry.

#include <filesystem>
#include <memory>

#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// Runs the file to read its definitions. Each plugin object runs it again in its own Lua state.
// Throws Error. Its message continues a sentence about the file ("cannot be read"), as for a
// Registry's ScriptLoader.
std::shared_ptr<const PluginSource> load_plugin_script(const std::filesystem::path& file);

}  // namespace torsor
