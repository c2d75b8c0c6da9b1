#pragma once
// Detects Lua functions that change values outside themselves. A run calls these functions many
// times, from several threads, and not in order of time. Their results must therefore depend only
// on their arguments. Before the first call, copies of all reachable values are saved: upvalues,
// tables, and the upvalues of called functions. A change of any of these values is an error.

#include <lua.hpp>
#include <string>

namespace torsor::lua {

class Frozen {
 public:
  // Pops the value on top of the stack and saves everything that is reachable from it. Throws Error
  // if this includes an object with internal state, such as a coroutine.
  void add(lua_State* L);
  // Compares the current values with the saved values after a call of the function `owner`. A small
  // number of values is compared after every call. A large number, such as a recorded motion, is
  // compared only once in many calls. The mean cost is at most a few hundred entries per call.
  // Throws Error with the name of the changed variable or entry.
  void check(lua_State* L, const std::string& owner);
  // Discards all saved values.
  void release(lua_State* L);

 private:
  // Registry key of a table that maps each reachable object to a copy of its entries.
  int table_ = LUA_NOREF;
  // entries_: number of entries in the table, or 0 if not yet counted. calls_: number of calls
  // since the last comparison.
  size_t entries_ = 0, calls_ = 0;
};

}  // namespace torsor::lua
