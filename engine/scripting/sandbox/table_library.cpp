// The table library of scripts, with the functions and metamethods of Lua 5.4. Each loop is charged
// to the budget before it starts.

#include <algorithm>
#include <climits>

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

void charge(lua_State* L, lua_Integer steps) {
  Sandbox::of(L).charge(L, 1 + steps);
}

// Throws a Lua error unless the value is a table or has all of these metamethods.
void check_table(lua_State* L, int index, std::initializer_list<const char*> events) {
  if (lua_istable(L, index)) return;
  for (const char* event : events) {
    if (luaL_getmetafield(L, index, event) == LUA_TNIL) luaL_checktype(L, index, LUA_TTABLE);
    lua_pop(L, 1);
  }
}

lua_Integer checked_length(lua_State* L, std::initializer_list<const char*> events) {
  check_table(L, 1, events);
  luaL_argexpected(L, lua_istable(L, 1) || luaL_getmetafield(L, 1, "__len") != LUA_TNIL, 1,
                   "table");
  return luaL_len(L, 1);
}

// Moves the entries first .. last by `by` places, +1 or -1. The order of the moves ensures that no
// entry is overwritten before it is moved.
void shift(lua_State* L, lua_Integer first, lua_Integer last, int by) {
  if (first > last) return;
  charge(L, last - first);
  for (lua_Integer k = 0; k <= last - first; ++k) {
    const lua_Integer from = by > 0 ? last - k : first + k;
    lua_geti(L, 1, from);
    lua_seti(L, 1, from + by);
  }
}

int insert(lua_State* L) {
  const int n = lua_gettop(L);
  const lua_Integer end =
      lua_Integer(lua_Unsigned(checked_length(L, {"__index", "__newindex"})) + 1);
  lua_settop(L, n);
  if (n == 2) {
    lua_seti(L, 1, end);
    return 0;
  }
  if (n != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
  const lua_Integer position = luaL_checkinteger(L, 2);
  luaL_argcheck(L, lua_Unsigned(position) - 1u < lua_Unsigned(end), 2, "position out of bounds");
  shift(L, position, end - 1, +1);
  lua_seti(L, 1, position);
  return 0;
}

int remove(lua_State* L) {
  const int n = lua_gettop(L);
  const lua_Integer size = checked_length(L, {"__index", "__newindex"});
  lua_settop(L, n);
  const lua_Integer position = luaL_optinteger(L, 2, size);
  if (position != size)
    luaL_argcheck(L, lua_Unsigned(position) - 1u <= lua_Unsigned(size), 2,
                  "position out of bounds");
  lua_geti(L, 1, position);
  if (position < size) shift(L, position + 1, size, -1);
  lua_pushnil(L);
  lua_seti(L, 1, std::max(position, size));
  return 1;
}

int move(lua_State* L) {
  const lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
  const lua_Integer to = luaL_checkinteger(L, 4);
  const int target = lua_isnoneornil(L, 5) ? 1 : 5;
  check_table(L, 1, {"__index"});
  check_table(L, target, {"__newindex"});
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    luaL_argcheck(L, to <= LUA_MAXINTEGER - (last - first), 4, "destination wrap around");
    charge(L, last - first);
    // Copy backwards only if a forward copy would overwrite entries before they are read.
    const bool backward =
        to > first && to <= last && (target == 1 || lua_compare(L, 1, target, LUA_OPEQ));
    for (lua_Integer k = 0; k <= last - first; ++k) {
      const lua_Integer at = backward ? last - first - k : k;
      lua_geti(L, 1, first + at);
      lua_seti(L, target, to + at);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

int concat(lua_State* L) {
  const lua_Integer size = checked_length(L, {"__index"});
  size_t separator_length = 0;
  const char* separator = luaL_optlstring(L, 2, "", &separator_length);
  const lua_Integer first = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, size);
  TextBuilder out(L);
  for (lua_Integer i = first; i <= last; ++i) {
    lua_geti(L, 1, i);
    if (!lua_isstring(L, -1))
      return luaL_error(L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
    charge(L, lua_Integer((lua_rawlen(L, -1) + separator_length) / 16));
    out.add_value();
    if (i == last) break;  // do not compute last + 1, which may overflow
    out.add({separator, separator_length});
  }
  out.push();
  return 1;
}

int unpack(lua_State* L) {
  const lua_Integer first = luaL_optinteger(L, 2, 1);
  const lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
  if (first > last) return 0;
  const lua_Unsigned n = lua_Unsigned(last) - lua_Unsigned(first);
  if (n >= lua_Unsigned(INT_MAX) || !lua_checkstack(L, int(n + 1)))
    return luaL_error(L, "too many results to unpack");
  charge(L, lua_Integer(n));
  for (lua_Unsigned k = 0; k <= n; ++k) lua_geti(L, 1, lua_Integer(lua_Unsigned(first) + k));
  return int(n + 1);
}

// Returns true if the value at stack index a is less than the value at stack index b. Both indices
// are relative to the top of the stack (negative). Uses the comparison function at stack index 2,
// or < if it is nil.
bool less(lua_State* L, int a, int b) {
  charge(L, 2);
  if (lua_isnil(L, 2)) return lua_compare(L, a, b, LUA_OPLT);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, a - 1);
  lua_pushvalue(L, b - 2);
  lua_call(L, 2, 1);
  const bool out = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return out;
}

// Merges the sorted ranges [left, middle) and [middle, right) of the list at stack index `from`
// into the list at stack index `to`.
void merge(lua_State* L, int from, int to, lua_Integer left, lua_Integer middle,
           lua_Integer right) {
  lua_Integer a = left, b = middle;
  for (lua_Integer out = left; out < right; ++out) {
    bool second = a >= middle;
    if (a < middle && b < right) {
      lua_rawgeti(L, from, b);
      lua_rawgeti(L, from, a);
      second = less(L, -2, -1);
      lua_pop(L, 2);
    }
    lua_rawgeti(L, from, second ? b++ : a++);
    lua_rawseti(L, to, out);
  }
}

// Implements table.sort as a stable merge sort, so that the order of equal entries is defined. It
// terminates for every comparison function, even an inconsistent one.
int sort(lua_State* L) {
  const lua_Integer size = checked_length(L, {"__index", "__newindex"});
  if (size < 2) return 0;
  luaL_argcheck(L, size < INT_MAX, 1, "array too big");
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  charge(L, 2 * size);
  int from = 3, to = 4;
  lua_createtable(L, int(size), 0);
  lua_createtable(L, int(size), 0);
  for (lua_Integer i = 1; i <= size; ++i) {
    lua_geti(L, 1, i);
    lua_rawseti(L, from, i);
  }
  for (lua_Integer run = 1; run < size; run *= 2, std::swap(from, to))
    for (lua_Integer left = 1; left <= size; left += 2 * run)
      merge(L, from, to, left, std::min(left + run, size + 1), std::min(left + 2 * run, size + 1));
  for (lua_Integer i = 1; i <= size; ++i) {
    lua_rawgeti(L, from, i);
    lua_seti(L, 1, i);
  }
  return 0;
}

}  // namespace

void push_table_library(lua_State* L) {
  luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
  lua_newtable(L);
  constexpr const char* kept[] = {"pack"};
  copy_functions(L, -2, kept, false);
  constexpr Function own[] = {
      {"concat", guarded<concat>}, {"insert", guarded<insert>}, {"move", guarded<move>},
      {"remove", guarded<remove>}, {"sort", guarded<sort>},     {"unpack", guarded<unpack>},
  };
  add_functions(L, own);
  lua_remove(L, -2);
}

}  // namespace torsor::lua
