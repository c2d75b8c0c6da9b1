#pragma once
// torsor.solver(name, {...}), torsor.plugins{ file, .. }: what a script adds to the plugins that it
// was loaded with.

#include "torsor/loading/plugin_source.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// A source of these definitions, whose owner keeps them. files: PluginSource::files.
std::shared_ptr<const PluginSource> make_source(
    const std::filesystem::path& file, const std::string& sha256,
    const std::vector<const PluginDefinition*>& definitions, std::shared_ptr<const void> owner,
    std::function<torsor_plugin*(const torsor_descriptor&, const torsor_host*)> create,
    std::vector<std::filesystem::path> files);

// The plugins that a scene was loaded with and its own, for who has loaded it; null where there are
// none. They keep the script.
std::shared_ptr<const Registry> plugins_with_own(const ScriptOptions& options,
                                                 const std::shared_ptr<LoadedScript>& script);

}  // namespace torsor::lua
