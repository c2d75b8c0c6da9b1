// The string library of scripts. It has no functions that read or write bytecode.

#include <algorithm>

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

// Number of steps charged per conversion of string.format. A long %f takes about as much time.
constexpr long long conversion_steps = 50;

int rep(lua_State* L) {
  luaL_checkstring(L, 1);
  const std::string_view part = text(L, 1);
  const lua_Integer n = luaL_checkinteger(L, 2);
  luaL_optstring(L, 3, "");
  const std::string_view separator = lua_isnoneornil(L, 3) ? std::string_view() : text(L, 3);
  const size_t period = part.size() + separator.size();
  if (n <= 0 || period == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  Sandbox& box = Sandbox::of(L);
  if (size_t(n) > box.options().limits.memory / period) box.check(L, LUA_ERRMEM);
  const size_t size = period * size_t(n) - separator.size();
  box.charge(L, 1 + (long long)(size / 16));
  std::string out;
  out.reserve(size);
  out += part;
  if (n > 1) out += separator;
  while (out.size() < size) out.append(out.data(), std::min(out.size(), size - out.size()));
  push(L, out);
  return 1;
}

// Implements string.format by calling Lua's own function (the upvalue). Arguments of %s are
// converted by tostring of this sandbox, which shows no addresses.
int format(lua_State* L) {
  luaL_checkstring(L, 1);
  const std::string_view pattern = text(L, 1);
  long long steps = 1;
  size_t bytes = pattern.size();
  int argument = 1;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') continue;
    i = pattern.find_first_not_of("-+ #0123456789.", i + 1);
    if (i == std::string_view::npos) break;
    if (pattern[i] == '%') continue;
    if (pattern[i] == 'p')
      throw Error("'%p' is not available to scripts: addresses differ from run to run");
    if (++argument > lua_gettop(L)) break;
    steps += conversion_steps;
    if (pattern[i] == 's') {
      push_text_of(L, argument);
      lua_replace(L, argument);
    }
    if (lua_type(L, argument) == LUA_TSTRING) bytes += lua_rawlen(L, argument);
  }
  Sandbox::of(L).charge(L, steps + (long long)(bytes / 4));
  Sandbox::of(L).make_room(L, 3 * bytes);
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

}  // namespace

void push_string_library(lua_State* L) {
  luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
  lua_createtable(L, 0, 20);
  constexpr const char* kept[] = {"byte",     "char",    "len", "lower",  "pack",
                                  "packsize", "reverse", "sub", "unpack", "upper"};
  copy_functions(L, -2, kept, true);
  lua_getfield(L, -2, "format");
  lua_pushcclosure(L, guarded<format>, 1);
  lua_setfield(L, -2, "format");
  constexpr Function own[] = {{"rep", guarded<rep>}};
  add_functions(L, own);
  add_pattern_functions(L);
  lua_remove(L, -2);
}

}  // namespace torsor::lua
