#pragma once
// Plugins whose functions are Lua's, as sources for a Registry: a file that defines them with
// torsor.solver(name, {...}) and the like, and a scene that does.

#include <filesystem>
#include <memory>

#include "torsor/loading/plugin_source.hpp"

namespace torsor {

// Runs the file; each object runs it anew and has a Lua state of its own. Throws Error with the
// reason as a clause whose subject is the file, as a Registry's ScriptLoader does.
std::shared_ptr<const PluginSource> load_plugin_script(const std::filesystem::path& file);

}  // namespace torsor
