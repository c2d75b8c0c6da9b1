#pragma once
// Implements require. `require "robots.iiwa"` loads robots/iiwa.lua from the folder of the scene,
// or else from the scripts folder. Each module is loaded once. The module "torsor" is built in.

#include <lua.hpp>
#include <string>

namespace torsor::lua {

int require(lua_State* L);
// Pops the value on top and registers it as the result of require(name).
void provide_module(lua_State* L, const char* name);
// Returns true if require(name) would return a module that is loaded or built in.
bool is_loaded_module(lua_State* L, const std::string& name);

}  // namespace torsor::lua
