#pragma once
// What scripts see: the tables of the libraries and of torsor, which cannot be changed and say what
// they do not have.

#include <lua.hpp>
#include <span>

namespace torsor::lua {

// Pops the table on top and pushes one in its place that reads as it does, refuses every
// assignment, and answers an unknown name with an error: "'string.formt' does not exist; did you
// mean 'format'?". label is the name of the table in messages, at least as long-lived as the state;
// "" for the globals.
void make_strict(lua_State* L, const char* label);

// Functions of a library, added to the table on top.
struct Function {
  const char* name;
  lua_CFunction function;
};
void add_functions(lua_State* L, std::span<const Function> functions);
// Copies fields of the table at index source to the one on top. charged: the functions take steps
// by the length of their text arguments.
void copy_functions(lua_State* L, int source, std::span<const char* const> names, bool charged);

// Each pushes the table of one library; the standard one is made by Lua, and what may stay is taken
// from it.
void push_base_library(lua_State* L);
void push_coroutine_library(lua_State* L);
void push_math_library(lua_State* L);
void push_string_library(lua_State* L);
void push_table_library(lua_State* L);
void push_utf8_library(lua_State* L);
// The functions of patterns and formats, added to the table on top.
void add_pattern_functions(lua_State* L);

// Pushes a table of all that a script finds under a name of its own: the libraries, require, and
// tables that refuse what is not there.
void push_globals(lua_State* L);
// Makes the globals and keeps them; set_environment gives them to the Lua function on top.
void open_environment(lua_State* L);
void set_environment(lua_State* L);

// Pushes the text that print and tostring show: no addresses.
void push_text_of(lua_State* L, int index);

}  // namespace torsor::lua
