#pragma once
// What functions that are asked again and again, forwards and backwards and from several threads,
// can reach: their local variables and tables, and those of the functions that they call. It is
// remembered before they are asked first, and a function that changes any of it is an error: what
// they give depends on their arguments alone.

#include <lua.hpp>
#include <string>

namespace torsor::lua {

class Frozen {
 public:
  // Remembers what the value on top can reach; pops it. Throws Error where that holds what goes on
  // from call to call, as a coroutine does.
  void add(lua_State* L);
  // After a call of what `owner` names: looks at each time where it is little, and so often that it
  // costs no more than some hundred entries a call where it is much, as a recorded motion is.
  // Throws Error, which names the variable or the entry.
  void check(lua_State* L, const std::string& owner);
  // Forgets it all.
  void release(lua_State* L);

 private:
  int table_ = LUA_NOREF;           // in the registry: each object that was reached -> what it held
  size_t entries_ = 0, calls_ = 0;  // of the table, 0 until it is looked at; since it was looked at
};

}  // namespace torsor::lua
