#include "torsor/scripting/sandbox/sorted_keys.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "torsor/base/memory.hpp"
#include "torsor/base/text.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

Key key_at(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) return lua_tointeger(L, index);
      return lua_tonumber(L, index);
    case LUA_TSTRING:
      return text(L, index);
    case LUA_TBOOLEAN:
      return bool(lua_toboolean(L, index));
    default:
      throw Error(
          fmt::format("a table with a {} as a key has a different order in every run; use numbers "
                      "or strings as keys",
                      luaL_typename(L, index)));
  }
}

// Returns a numeric key as a long double, which represents every Lua integer and float exactly.
// Returns nullopt for other keys.
std::optional<long double> number(const Key& key) {
  if (const auto* integer = std::get_if<lua_Integer>(&key)) return *integer;
  if (const auto* real = std::get_if<lua_Number>(&key)) return *real;
  return std::nullopt;
}

long long sorting_steps(size_t n) {
  return (long long)(n * (1 + std::bit_width(n)));
}

int next_pair(lua_State* L) {
  const int table = lua_upvalueindex(1), keys = lua_upvalueindex(2);
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(3));
  while (true) {
    if (lua_rawgeti(L, keys, ++i) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, table) != LUA_TNIL) break;  // nil: the loop has removed this key
    lua_pop(L, 2);
    Sandbox::of(L).charge(L, 1);
  }
  lua_pushinteger(L, i);
  lua_replace(L, lua_upvalueindex(3));
  return 2;
}

}  // namespace

bool before(const Key& a, const Key& b) {
  const auto x = number(a), y = number(b);
  if (x || y) return x && (!y || *x < *y);
  if (a.index() != b.index()) return a.index() < b.index();
  return a < b;
}

size_t count_keys(lua_State* L, int table) {
  table = lua_absindex(L, table);
  luaL_checkstack(L, 3, "keys of a table");
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) ++count;
  Sandbox::of(L).charge(L, (long long)count);
  return count;
}

std::vector<Key> sorted_keys(lua_State* L, int table) {
  table = lua_absindex(L, table);
  luaL_checkstack(L, 3, "keys of a table");
  const size_t count = count_keys(L, table);
  const TemporaryMemory memory;
  Sandbox::of(L).charge_memory(L, count * sizeof(Key));
  Sandbox::of(L).charge(L, sorting_steps(count));
  std::vector<Key> keys;
  keys.reserve(count);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) keys.push_back(key_at(L, -2));
  std::sort(keys.begin(), keys.end(), before);
  return keys;
}

std::string first_extra_key(lua_State* L, int table, size_t n) {
  table = lua_absindex(L, table);
  luaL_checkstack(L, 3, "keys of a table");
  const auto is_inside = [n](lua_Integer key) { return key >= 1 && lua_Unsigned(key) <= n; };
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_isinteger(L, -2) && is_inside(lua_tointeger(L, -2))) continue;
    lua_pop(L, 2);
    for (const Key& key : sorted_keys(L, table))
      if (const auto* integer = std::get_if<lua_Integer>(&key); !integer || !is_inside(*integer))
        return quoted(key);
  }
  return "";
}

void push_key(lua_State* L, const Key& key) {
  if (const auto* integer = std::get_if<lua_Integer>(&key))
    lua_pushinteger(L, *integer);
  else if (const auto* real = std::get_if<lua_Number>(&key))
    lua_pushnumber(L, *real);
  else if (const auto* string = std::get_if<std::string_view>(&key))
    push(L, *string);
  else
    lua_pushboolean(L, std::get<bool>(key));
}

std::string quoted(const Key& key) {
  if (const auto* integer = std::get_if<lua_Integer>(&key)) return fmt::format("[{}]", *integer);
  if (const auto* real = std::get_if<lua_Number>(&key)) return fmt::format("[{}]", *real);
  if (const auto* string = std::get_if<std::string_view>(&key))
    return fmt::format("'{}'", quotable(*string));
  return std::get<bool>(key) ? "[true]" : "[false]";
}

int sorted_next(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 2);
  std::optional<Key> least, last;
  if (!lua_isnil(L, 2)) last = key_at(L, 2);
  long long steps = 1;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1), ++steps) {
    const Key key = key_at(L, -2);
    if ((!last || before(*last, key)) && (!least || before(key, *least))) least = key;
  }
  Sandbox::of(L).charge(L, steps);
  if (!least) {
    lua_pushnil(L);
    return 1;
  }
  push_key(L, *least);
  lua_pushvalue(L, -1);
  lua_rawget(L, 1);
  return 2;
}

void push_sorted_pairs(lua_State* L, int table) {
  table = lua_absindex(L, table);
  const std::vector<Key> keys = sorted_keys(L, table);
  lua_pushvalue(L, table);
  lua_createtable(L, int(std::min<size_t>(keys.size(), 1 << 26)), 0);
  for (size_t i = 0; i < keys.size(); ++i) {
    push_key(L, keys[i]);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, guarded<next_pair>, 3);
}

}  // namespace torsor::lua
