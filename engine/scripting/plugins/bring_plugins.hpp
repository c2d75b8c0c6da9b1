#pragma once
// Implements torsor.solver(name, {...}) and torsor.plugins{ file, .. }, with which a script adds
// plugins.

#include "torsor/loading/plugin_source.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Creates a plugin source with these definitions. owner: keeps the definitions alive. files: as
// PluginSource::files.
std::shared_ptr<const PluginSource> make_source(
    const std::filesystem::path& file, const std::string& sha256,
    const std::vector<const PluginDefinition*>& definitions, std::shared_ptr<const void> owner,
    std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create,
    std::vector<std::filesystem::path> files);

// Returns the plugins that a scene was loaded with and the plugins that it added, or null if it was
// loaded without plugins. The returned plugins keep the script alive.
std::shared_ptr<const Registry> plugins_with_own(const ScriptOptions& options,
                                                 const std::shared_ptr<LoadedScript>& script);

}  // namespace torsor::lua
