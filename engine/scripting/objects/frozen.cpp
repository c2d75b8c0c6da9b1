#include "torsor/scripting/objects/frozen.hpp"

#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

// Pushes the value that represents nil in a copy. A table cannot store nil.
void push_absent(lua_State* L) {
  lua_pushlightuserdata(L, nullptr);
}

bool same(lua_State* L, int a, int b) {
  if (lua_rawequal(L, a, b)) return true;
  const auto is_nan = [&](int i) {
    return lua_type(L, i) == LUA_TNUMBER && lua_tonumber(L, i) != lua_tonumber(L, i);
  };
  return is_nan(a) && is_nan(b);
}

void reject_stateful(const char* what) {
  throw Error(fmt::format(
      "a function called during the run cannot use {} from outside, because its state would "
      "carry over between calls; create it inside the function",
      what));
}

// Pops the object on top of the stack. Saves a copy of its entries, and of the entries of all
// objects that it refers to. frozen: stack index of the table of copies.
void freeze(lua_State* L, int frozen) {
  luaL_checkstack(L, 10, "values that hold each other");
  Sandbox::of(L).charge(L, 10);
  Sandbox::of(L).check_depth(L);
  const int object = lua_gettop(L), type = lua_type(L, object);
  if (type == LUA_TTHREAD) reject_stateful("a coroutine");
  if (type == LUA_TFUNCTION && lua_iscfunction(L, object)) {
    for (int i = 1; lua_getupvalue(L, object, i); ++i) {
      if (lua_type(L, -1) == LUA_TTHREAD) reject_stateful("a coroutine");
      // Among the C functions of the sandbox, only iterators have a number as an upvalue (their
      // position).
      if (lua_type(L, -1) == LUA_TNUMBER) reject_stateful("an iterator");
    }
    return lua_settop(L, object - 1);
  }
  lua_pushvalue(L, object);
  const bool seen = lua_rawget(L, frozen) != LUA_TNIL;
  if (seen || (type != LUA_TTABLE && type != LUA_TFUNCTION)) return lua_settop(L, object - 1);
  lua_newtable(L);
  const int copy = lua_gettop(L);
  lua_pushvalue(L, object);
  lua_pushvalue(L, copy);
  lua_rawset(L, frozen);
  const auto remember = [&] {  // the key and the value are on top of the stack
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, copy);
    lua_pushvalue(L, -2);
    freeze(L, frozen);
    freeze(L, frozen);
  };
  if (type == LUA_TFUNCTION) {
    for (int i = 1; lua_getupvalue(L, object, i); ++i) {
      lua_pushinteger(L, i);
      lua_insert(L, -2);
      if (lua_isnil(L, -1)) push_absent(L), lua_replace(L, -2);
      remember();
      lua_settop(L, copy);
    }
  } else {
    if (lua_getmetatable(L, object)) freeze(L, frozen);
    for (lua_pushnil(L); lua_next(L, object);) remember();
  }
  lua_settop(L, object - 1);
}

[[noreturn]] void reject_change(const std::string& what) {
  throw Error(fmt::format(
      "changes {}; it is called many times and must depend on its arguments only", what));
}

// Throws Error unless the upvalues of the function at stack index `object` equal those in the copy.
void check_function(lua_State* L, int object, int copy) {
  for (int i = 1; const char* name = lua_getupvalue(L, object, i); ++i) {
    if (lua_isnil(L, -1)) push_absent(L), lua_replace(L, -2);
    lua_rawgeti(L, copy, i);
    if (!same(L, -1, -2)) reject_change(fmt::format("the variable '{}'", name));
    lua_pop(L, 2);
  }
}

void check_table(lua_State* L, int object, int copy) {
  int entries = 0, remembered = 0;
  for (lua_pushnil(L); lua_next(L, object); lua_pop(L, 1), ++entries) {
    lua_pushvalue(L, -2);
    lua_rawget(L, copy);
    const bool kept = same(L, -1, -2);
    lua_pop(L, 1);
    if (kept) continue;
    lua_pushvalue(L, -2);
    reject_change(fmt::format("the entry '{}' of a table", luaL_tolstring(L, -1, nullptr)));
  }
  for (lua_pushnil(L); lua_next(L, copy); lua_pop(L, 1)) ++remembered;
  if (entries != remembered) reject_change("a table");
}

}  // namespace

void Frozen::add(lua_State* L) {
  const int object = lua_gettop(L);
  luaL_checkstack(L, 4, "values that hold each other");
  if (table_ == LUA_NOREF) {
    lua_newtable(L);
    table_ = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, table_);
  lua_insert(L, object);
  freeze(L, object);
  lua_settop(L, object - 1);
  entries_ = 0;
}

void Frozen::check(lua_State* L, const std::string& owner) {
  if (table_ == LUA_NOREF) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, table_);
  const int frozen = lua_gettop(L);
  if (entries_ == 0)
    for (lua_pushnil(L); lua_next(L, frozen); lua_pop(L, 1))
      entries_ += 1 + size_t(lua_rawlen(L, -1));
  if (++calls_ * 256 < entries_) return lua_settop(L, frozen - 1);
  calls_ = 0;
  for (lua_pushnil(L); lua_next(L, frozen); lua_pop(L, 1)) {
    const int copy = lua_gettop(L), object = copy - 1;
    Sandbox::of(L).charge(L, 10 + (lua_istable(L, object) ? (long long)lua_rawlen(L, object) : 0));
    try {
      lua_istable(L, object) ? check_table(L, object, copy) : check_function(L, object, copy);
    } catch (const Error& error) {
      throw Error(fmt::format("{} {}", owner, error.what()));
    }
  }
  lua_settop(L, frozen - 1);
}

void Frozen::release(lua_State* L) {
  luaL_unref(L, LUA_REGISTRYINDEX, table_);
  table_ = LUA_NOREF;
}

}  // namespace torsor::lua
