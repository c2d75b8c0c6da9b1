// The base library of scripts. Functions that catch errors raise the error of a tripped sandbox
// again. Functions whose results depend on memory addresses, or on the order of addresses, are
// replaced.

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"

namespace torsor::lua {

namespace {

// Number of steps charged for throwing and catching an exception.
constexpr long long catch_steps = 100;

int finish_protected_call(lua_State* L, int status, lua_KContext below) {
  Sandbox::of(L).check(L, status);
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - int(below);
  Sandbox::of(L).charge(L, catch_steps);
  lua_pushboolean(L, false);
  lua_pushvalue(L, -2);
  return 2;
}

int pcall(lua_State* L) {
  luaL_checkany(L, 1);
  Sandbox::of(L).check_depth(L);
  lua_pushboolean(L, true);  // first result of pcall on success
  lua_insert(L, 1);
  const int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_protected_call);
  return finish_protected_call(L, status, 0);
}

// Calls the script's message handler (the upvalue) for xpcall, unless the sandbox has tripped. A
// trip is raised inside the count hook, and Lua calls no hooks during a hook. The sandbox could
// therefore not stop the handler.
int call_handler(lua_State* L) {
  if (Sandbox::of(L).tripped()) return 1;
  Sandbox::of(L).charge(L, catch_steps);
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

int xpcall(lua_State* L) {
  const int n = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  Sandbox::of(L).check_depth(L);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, call_handler, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, true);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);  // stack: f, handler, true, f, arguments
  const int status = lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_protected_call);
  return finish_protected_call(L, status, 2);
}

int print(lua_State* L) {
  std::string line;
  for (int i = 1, n = lua_gettop(L); i <= n; ++i) {
    push_text_of(L, i);
    Sandbox::of(L).charge(L, 1 + (long long)lua_rawlen(L, -1));
    line += (i > 1 ? "\t" : "");
    line += text(L, -1);
    lua_pop(L, 1);
  }
  Sandbox::of(L).print(line);
  return 0;
}

int tostring(lua_State* L) {
  luaL_checkany(L, 1);
  push_text_of(L, 1);
  return 1;
}

int finish_pairs(lua_State*, int, lua_KContext) {
  return 3;
}

int pairs(lua_State* L) {
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_callk(L, 1, 3, 0, finish_pairs);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  push_sorted_pairs(L, 1);
  lua_pushvalue(L, 1);
  return 2;
}

// Rejects metatables with __gc or __mode. The collector decides when a finalizer runs and when a
// weak table loses entries, so runs could differ. Finalizers also run without the count hook.
void reject_collector_events(lua_State* L, int metatable) {
  for (const char* event : {"__gc", "__mode"}) {
    lua_pushstring(L, event);
    if (lua_rawget(L, metatable) != LUA_TNIL)
      throw Error(fmt::format(
          "'{}' is not available to scripts: its effect depends on when memory is collected",
          event));
    lua_pop(L, 1);
  }
}

int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, lua_isnoneornil(L, 2) || lua_istable(L, 2), 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
    throw Error("cannot change a protected metatable");
  lua_settop(L, 2);
  if (lua_istable(L, 2)) reject_collector_events(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

int raw_set(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
    throw Error("rawset cannot change a table whose metatable is protected");
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 1;
}

}  // namespace

void push_text_of(lua_State* L, int index) {
  index = lua_absindex(L, index);
  if (luaL_callmeta(L, index, "__tostring")) {
    if (!lua_isstring(L, -1)) throw Error("'__tostring' must return a string");
    lua_tostring(L, -1);
    return;
  }
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
    case LUA_TBOOLEAN:
    case LUA_TNIL:
      luaL_tolstring(L, index, nullptr);
      return;
    default:
      break;
  }
  std::string kind = luaL_typename(L, index);
  if (const int type = luaL_getmetafield(L, index, "__name"); type != LUA_TNIL) {
    if (type == LUA_TSTRING) kind = text(L, -1);
    lua_pop(L, 1);
  }
  push(L, fmt::format("{}: {}", kind, Sandbox::of(L).number_of(L, index)));
}

void push_base_library(lua_State* L) {
  luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
  lua_createtable(L, 0, 40);
  constexpr const char* kept[] = {"assert", "error",  "getmetatable", "ipairs",  "rawget",
                                  "rawlen", "select", "type",         "_VERSION"};
  copy_functions(L, -2, kept, false);
  constexpr const char* by_length[] = {"rawequal", "tonumber"};
  copy_functions(L, -2, by_length, true);
  constexpr Function own[] = {
      {"next", guarded<sorted_next>},
      {"pairs", guarded<pairs>},
      {"pcall", guarded<pcall>},
      {"print", guarded<print>},
      {"rawset", guarded<raw_set>},
      {"tostring", guarded<tostring>},
      {"setmetatable", guarded<set_metatable>},
      {"xpcall", guarded<xpcall>},
  };
  add_functions(L, own);
  lua_remove(L, -2);
}

}  // namespace torsor::lua
