#include "torsor/scripting/sandbox/environment.hpp"

#include <string>
#include <vector>

#include "torsor/base/text.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"

namespace torsor::lua {

namespace {

constexpr const char* environment_key = "torsor.environment";

struct Unavailable {
  const char *name, *reason;
};
constexpr Unavailable unavailable_tables[] = {
    {"os",
     "a script cannot access the operating system, so that it has the same result everywhere"},
    {"io", "a script cannot access files; use print to show a line"},
    {"debug", "it could break the sandbox"},
    {"package", "load modules with require"},
};
constexpr const char* no_load = "load code from files with require";
constexpr Unavailable unavailable_names[] = {
    {"load", no_load},
    {"loadstring", no_load},
    {"loadfile", no_load},
    {"dofile", no_load},
    {"collectgarbage", "the host manages memory"},
    {"warn", "use print to show a line"},
    {"_G", "a script has no global variables of its own"},
    {"string.dump", "load code from files with require"},
};

std::string full_name(const char* label, const std::string& name) {
  return *label ? fmt::format("{}.{}", label, name) : name;
}

// Implements __index of a read-only view: returns the entry of the table, or throws Error if the
// name is unknown. Upvalues: the table, its label.
int read_missing(lua_State* L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  const char* label = lua_tostring(L, lua_upvalueindex(2));
  if (lua_type(L, 2) != LUA_TSTRING)
    throw Error(fmt::format("{} has no entry whose key is a {}", *label ? label : "the environment",
                            luaL_typename(L, 2)));
  const std::string name = quotable(text(L, 2)), full = full_name(label, name);
  for (const Unavailable& entry : unavailable_names)
    if (full == entry.name)
      throw Error(fmt::format("'{}' is not available to scripts: {}", full, entry.reason));
  std::vector<std::string> names;
  for (const Key& key : sorted_keys(L, lua_upvalueindex(1)))
    if (const auto* string = std::get_if<std::string_view>(&key)) names.emplace_back(*string);
  const std::string near = did_you_mean(name, names);
  if (*label) throw Error(fmt::format("'{}' does not exist{}", full, near));
  if (is_loaded_module(L, name))
    throw Error(
        fmt::format("'{0}' is not defined; load it with: local {0} = require \"{0}\"", name));
  throw Error(fmt::format("'{}' is not defined{}", name,
                          near.empty() ? "; declare it with 'local'" : near));
}

// Implements __newindex of a read-only view: rejects the assignment. Upvalue: the label of the
// table.
int reject_assignment(lua_State* L) {
  const char* label = lua_tostring(L, lua_upvalueindex(1));
  const std::string name = lua_type(L, 2) == LUA_TSTRING ? quotable(text(L, 2)) : "...";
  if (*label)
    throw Error(
        fmt::format("'{}' is read-only; use a local variable of your own", full_name(label, name)));
  throw Error(fmt::format(
      "'{}' is not declared; write 'local {}', because a script has no global variables", name,
      name));
}

int pairs_of(lua_State* L) {
  push_sorted_pairs(L, lua_upvalueindex(1));
  return 1;
}

// Rejects the use of an unavailable library. Upvalues: the name of the library, the reason.
int reject_library(lua_State* L) {
  const char *library = lua_tostring(L, lua_upvalueindex(1)),
             *reason = lua_tostring(L, lua_upvalueindex(2));
  const std::string name = lua_type(L, 2) == LUA_TSTRING ? quotable(text(L, 2)) : "...";
  throw Error(
      fmt::format("'{}.{}': '{}' is not available to scripts: {}", library, name, library, reason));
}

// Pushes a table that represents an unavailable library and rejects every use.
void push_unavailable(lua_State* L, const Unavailable& entry) {
  lua_newtable(L);
  lua_createtable(L, 0, 4);
  for (const char* event : {"__index", "__newindex", "__pairs"}) {
    lua_pushstring(L, entry.name);
    lua_pushstring(L, entry.reason);
    lua_pushcclosure(L, guarded<reject_library>, 2);
    lua_setfield(L, -2, event);
  }
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
}

// Charges steps for the string arguments and calls the original C function (the upvalue, which has
// no upvalues). The original function runs in the same Lua call frame, so its error messages are
// the same as in a direct call.
int charged(lua_State* L) {
  size_t bytes = 0;
  for (int i = 1; i <= lua_gettop(L); ++i)
    if (lua_type(L, i) == LUA_TSTRING) bytes += lua_rawlen(L, i);
  Sandbox::of(L).charge(L, 1 + (long long)(bytes / 16));
  // The original function allocates its result and a buffer, which grows by half each time.
  Sandbox::of(L).make_room(L, 3 * bytes);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void push_library(lua_State* L, void (*push)(lua_State*), const char* name) {
  push(L);
  make_strict(L, name);
  lua_setfield(L, -2, name);
}

}  // namespace

void make_strict(lua_State* L, const char* label) {
  const int table = lua_gettop(L);
  lua_newtable(L);
  lua_createtable(L, 0, 4);
  lua_pushvalue(L, table);
  lua_pushstring(L, label);
  lua_pushcclosure(L, guarded<read_missing>, 2);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, label);
  lua_pushcclosure(L, guarded<reject_assignment>, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushvalue(L, table);
  lua_pushcclosure(L, guarded<pairs_of>, 1);
  lua_setfield(L, -2, "__pairs");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_replace(L, table);
}

void add_functions(lua_State* L, std::span<const Function> functions) {
  for (const auto& [name, function] : functions) {
    lua_pushcfunction(L, function);
    lua_setfield(L, -2, name);
  }
}

void copy_functions(lua_State* L, int source, std::span<const char* const> names, bool charge) {
  source = lua_absindex(L, source);
  for (const char* name : names) {
    if (lua_getfield(L, source, name) == LUA_TFUNCTION && charge) lua_pushcclosure(L, charged, 1);
    lua_setfield(L, -2, name);
  }
}

void push_utf8_library(lua_State* L) {
  luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 0);
  lua_newtable(L);
  constexpr const char* names[] = {"char", "charpattern", "codepoint", "codes", "len", "offset"};
  copy_functions(L, -2, names, true);
  lua_remove(L, -2);
}

void push_globals(lua_State* L) {
  push_base_library(L);
  push_library(L, push_coroutine_library, "coroutine");
  push_library(L, push_math_library, "math");
  push_library(L, push_string_library, "string");
  push_library(L, push_table_library, "table");
  push_library(L, push_utf8_library, "utf8");
  // Let strings find their methods in the library table: ("x"):rep(3).
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_getfield(L, -3, "string");
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
  for (const Unavailable& entry : unavailable_tables) {
    push_unavailable(L, entry);
    lua_setfield(L, -2, entry.name);
  }
  lua_pushcfunction(L, guarded<require>);
  lua_setfield(L, -2, "require");
}

void open_environment(lua_State* L) {
  push_globals(L);
  make_strict(L, "");
  lua_setfield(L, LUA_REGISTRYINDEX, environment_key);
}

void set_environment(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, environment_key);
  lua_setupvalue(L, -2, 1);
}

}  // namespace torsor::lua
