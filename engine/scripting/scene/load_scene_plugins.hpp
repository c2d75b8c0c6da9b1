#pragma once
// Plugins that a script adds: torsor.solver(name, {...}) and the similar calls define plugins in
// Lua, torsor.plugins{ file, .. } loads plugin files.

#include "torsor/loading/plugin_source.hpp"
#include "torsor/scripting/objects/scene.hpp"

namespace torsor::lua {

// Creates a plugin source with these definitions. owner: an object that keeps the definitions
// alive. files: see PluginSource::files.
std::shared_ptr<const PluginSource> make_source(
    const std::filesystem::path& file, const std::string& sha256,
    const std::vector<const PluginDefinition*>& definitions, std::shared_ptr<const void> owner,
    std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create,
    std::vector<std::filesystem::path> files);

// Returns a registry with two groups of plugins: those that the scene was loaded with, and those
// that the scene added. Returns null if the scene was loaded without plugins. The returned registry
// keeps the script alive.
std::shared_ptr<const Registry> plugins_with_own(const ScriptOptions& options,
                                                 const std::shared_ptr<LoadedScript>& script);

}  // namespace torsor::lua
