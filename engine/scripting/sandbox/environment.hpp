#pragma once
// The environment of scripts: the global names and the library tables. Scripts cannot change these
// tables. Reading an unknown name is an error.

#include <lua.hpp>
#include <span>
#include <string>

namespace torsor::lua {

// Pops the table on top of the Lua stack and pushes a read-only view of the table. Every assignment
// to the view is an error. Reading an unknown name is an error such as "'string.formt' does not
// exist; did you mean 'format'?". label: the name of the table in messages, "" for the globals. The
// string `label` must outlive the Lua state.
void make_strict(lua_State* L, const char* label);

// A library function and its name in scripts.
struct Function {
  const char* name;
  lua_CFunction function;
};
// Adds the functions to the table on top of the Lua stack.
void add_functions(lua_State* L, std::span<const Function> functions);
// Copies the named fields of the table at stack index `source` to the table on top of the stack. If
// `charged` is true, each call takes steps from the budget in proportion to the length of its
// string arguments.
void copy_functions(lua_State* L, int source, std::span<const char* const> names, bool charged);

// Each of these functions pushes a library table. The table contains the permitted functions of
// Lua's standard library and replacements for some of the others.
void push_base_library(lua_State* L);
void push_coroutine_library(lua_State* L);
void push_math_library(lua_State* L);
void push_string_library(lua_State* L);
void push_table_library(lua_State* L);
void push_utf8_library(lua_State* L);
// Adds find, gmatch, gsub and match to the table on top of the stack.
void add_pattern_functions(lua_State* L);

// Pushes a table of all global names: the library tables, require, and a table that rejects every
// use for each unavailable library.
void push_globals(lua_State* L);
// Creates the table of globals and stores it in the Lua state.
void open_environment(lua_State* L);
// Sets the stored globals as the environment of the Lua function on top of the stack.
void set_environment(lua_State* L);

// Implements require (modules.cpp). `require "robots.iiwa"` loads robots/iiwa.lua. It searches the
// folder of the scene first and then the scripts folder. Each module is loaded once.
int require(lua_State* L);
// Pops the value on top of the stack and registers it as the built-in module `name`.
void provide_module(lua_State* L, const char* name);
// Returns true if the module is already loaded or built in.
bool is_loaded_module(lua_State* L, const std::string& name);

// Pushes the string to which print and tostring convert a value. It contains no memory addresses.
void push_text_of(lua_State* L, int index);

}  // namespace torsor::lua
