#pragma once
// require "robots.iiwa": the file robots/iiwa.lua in the folder of the scene, else in the folder of
// scripts. Each module is loaded once; "torsor" is built in.

#include <lua.hpp>
#include <string>

namespace torsor::lua {

int require(lua_State* L);
// Pops the value on top and makes it what require(name) returns.
void provide_module(lua_State* L, const char* name);
// Returns true if require(name) would return a module that is loaded or built in.
bool is_loaded_module(lua_State* L, const std::string& name);

}  // namespace torsor::lua
