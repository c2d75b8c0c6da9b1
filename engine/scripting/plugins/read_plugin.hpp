#pragma once
// Reads a plugin definition from Lua.

#include <lua.hpp>
#include <memory>
#include <string>

#include "torsor/scripting/objects/plugin_definition.hpp"

namespace torsor::lua {

// Reads the arguments of torsor.KIND from the stack. Throws Error if a key is unknown, a value has
// the wrong type, or the resulting plugin descriptor is invalid.
std::unique_ptr<PluginDefinition> read_plugin(lua_State* L, const std::string& kind,
                                              const std::string& source);

}  // namespace torsor::lua
