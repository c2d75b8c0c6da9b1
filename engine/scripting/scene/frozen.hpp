#pragma once
// Detects functions that change their environment. A run calls functions many times, forwards and
// backwards in time, from several threads. Their results must therefore depend only on their
// arguments. The values that a function can reach are saved before its first call: its local
// variables and tables, and those of the functions that it calls. A change to any of them is an
// error.

#include <lua.hpp>
#include <string>

namespace torsor::lua {

class Frozen {
 public:
  // Pops the value on top and saves everything that it can reach. Throws Error if this includes an
  // object that changes from call to call, such as a coroutine.
  void add(lua_State* L);
  // Compares the saved values after a call of `owner`. A small set is compared after every call. A
  // large set, such as a recorded motion, is compared so rarely that the mean cost stays at a few
  // hundred entries per call. Throws Error, which names the changed variable or entry.
  void check(lua_State* L, const std::string& owner);
  // Discards all saved values.
  void release(lua_State* L);

 private:
  // Registry key of a table: each reachable object -> a copy of its entries.
  int table_ = LUA_NOREF;
  // Number of entries in the table (0: not yet counted), and number of calls since the last check.
  size_t entries_ = 0, calls_ = 0;
};

}  // namespace torsor::lua
