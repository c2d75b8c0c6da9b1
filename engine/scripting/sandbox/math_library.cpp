// The math library of scripts. The host can save and restore the state of the random number
// generator. Values of the engine, such as dual numbers, may define their own functions.

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

// Implements math.random.
// - random() returns a float in [0, 1).
// - random(n) returns an integer in 1..n.
// - random(m, n) returns an integer in m..n.
// - random(0) returns an integer with 64 random bits.
int random(lua_State* L) {
  Sandbox::of(L).require_loading("math.random");
  Random& random = Sandbox::of(L).random();
  if (lua_gettop(L) == 0) {
    lua_pushnumber(L, random.uniform());
    return 1;
  }
  const lua_Integer first = luaL_checkinteger(L, 1);
  if (lua_gettop(L) == 1 && first == 0) {
    lua_pushinteger(L, lua_Integer(random.bits()));
    return 1;
  }
  const lua_Integer low = lua_gettop(L) == 1 ? 1 : first;
  const lua_Integer high = lua_gettop(L) == 1 ? first : luaL_checkinteger(L, 2);
  luaL_argcheck(L, lua_gettop(L) <= 2, 3, "random takes at most two numbers");
  luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
  lua_pushinteger(L, lua_Integer(uint64_t(low) + random.up_to(uint64_t(high) - uint64_t(low))));
  return 1;
}

int seed(lua_State* L) {
  Sandbox::of(L).require_loading("math.randomseed");
  if (lua_gettop(L) != 1 || !lua_isinteger(L, 1))
    throw Error("math.randomseed takes one integer; equal seeds give equal numbers");
  Sandbox::of(L).random() = Random(uint64_t(lua_tointeger(L, 1)));
  return 0;
}

// Calls the original function (upvalue 1). If an argument is a userdata with a metamethod for this
// function (upvalue 2, for example "__sin"), calls the metamethod instead.
int overloadable(lua_State* L) {
  const int n = lua_gettop(L);
  for (int i = 1; i <= n; ++i)
    if (lua_type(L, i) == LUA_TUSERDATA &&
        luaL_getmetafield(L, i, lua_tostring(L, lua_upvalueindex(2))) != LUA_TNIL) {
      lua_insert(L, 1);
      lua_call(L, n, 1);
      return 1;
    }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

}  // namespace

void push_math_library(lua_State* L) {
  luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
  lua_createtable(L, 0, 32);
  constexpr const char* kept[] = {
      "abs",  "acos", "asin", "atan", "ceil",       "cos",        "deg", "exp",  "floor",
      "fmod", "huge", "log",  "max",  "maxinteger", "mininteger", "min", "modf", "pi",
      "rad",  "sin",  "sqrt", "tan",  "tointeger",  "type",       "ult"};
  copy_functions(L, -2, kept, false);
  constexpr Function own[] = {{"random", guarded<random>}, {"randomseed", guarded<seed>}};
  add_functions(L, own);
  for (const char* name :
       {"abs", "acos", "asin", "atan", "cos", "exp", "log", "max", "min", "sin", "sqrt", "tan"}) {
    lua_getfield(L, -1, name);
    lua_pushfstring(L, "__%s", name);
    lua_pushcclosure(L, overloadable, 2);
    lua_setfield(L, -2, name);
  }
  lua_remove(L, -2);
}

}  // namespace torsor::lua
