#pragma once
// The environment of scripts: the tables of the libraries and of torsor. Scripts cannot change
// these tables, and reading an unknown name is an error.

#include <lua.hpp>
#include <span>

namespace torsor::lua {

// Pops the table on top of the Lua stack and pushes a read-only view of it. Every assignment to the
// view is an error. Reading an unknown name is an error such as "'string.formt' does not exist; did
// you mean 'format'?". label is the name of the table in messages ("" for the globals); it must
// live as long as the state.
void make_strict(lua_State* L, const char* label);

// A function of a library, with its name in scripts.
struct Function {
  const char* name;
  lua_CFunction function;
};
// Adds the functions to the table on top of the Lua stack.
void add_functions(lua_State* L, std::span<const Function> functions);
// Copies fields of the table at index source to the table on top. If charged is true, each call
// takes steps from the budget in proportion to the length of its string arguments.
void copy_functions(lua_State* L, int source, std::span<const char* const> names, bool charged);

// Each of these functions pushes the table of one library. It takes the permitted functions from
// Lua's standard library and adds replacements for the others.
void push_base_library(lua_State* L);
void push_coroutine_library(lua_State* L);
void push_math_library(lua_State* L);
void push_string_library(lua_State* L);
void push_table_library(lua_State* L);
void push_utf8_library(lua_State* L);
// Adds find, gmatch, gsub and match to the table on top.
void add_pattern_functions(lua_State* L);

// Pushes a table of all global names: the libraries, require, and tables that reject every use of a
// library that is not available.
void push_globals(lua_State* L);
// Creates the globals and stores them in the state.
void open_environment(lua_State* L);
// Makes the stored globals the environment of the Lua function on top.
void set_environment(lua_State* L);

// Pushes the string that print and tostring show. It contains no addresses.
void push_text_of(lua_State* L, int index);

}  // namespace torsor::lua
