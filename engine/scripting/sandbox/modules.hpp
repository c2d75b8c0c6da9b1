#pragma once
// Implements require. `require "robots.iiwa"` loads robots/iiwa.lua. It searches the folder of the
// scene first and then the scripts folder. Each module is loaded once. The module "torsor" is built
// in.

#include <lua.hpp>
#include <string>

namespace torsor::lua {

int require(lua_State* L);
// Pops the value on top of the stack and registers it as the built-in module `name`.
void provide_module(lua_State* L, const char* name);
// Returns true if the module is already loaded or built in.
bool is_loaded_module(lua_State* L, const std::string& name);

}  // namespace torsor::lua
