// The coroutine library of scripts. A coroutine cannot hide the error of a tripped sandbox. The
// nesting depth of coroutine.close is limited.

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

namespace {

// Number of steps charged for a new coroutine. A coroutine has its own instruction count, so a
// short one ends before the count hook first runs.
constexpr long long creation_steps = 100;

lua_State* coroutine_at(lua_State* L, int index) {
  lua_State* co = lua_tothread(L, index);
  luaL_argexpected(L, co, index, "coroutine");
  return co;
}

int create(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  Sandbox::of(L).charge(L, creation_steps);
  lua_State* co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  return 1;
}

// Resumes co with the n values on top of the stack of L. Afterwards the results, or one error
// value, are on top of the stack of L. Returns the number of results, or -1 after an error.
int resume_with(lua_State* L, lua_State* co, int n) {
  Sandbox& box = Sandbox::of(L);
  box.check_depth(L);
  if (!lua_checkstack(co, n)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, n);
  int results = 0, status = LUA_OK;
  {
    const Sandbox::Running running(box, co);
    Sandbox::copy_hook(L, co);
    status = lua_resume(co, L, n, &results);
    Sandbox::copy_hook(co, L);
  }
  box.check(L, status);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

int resume(lua_State* L) {
  lua_State* co = coroutine_at(L, 1);
  const int results = resume_with(L, co, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  const int n = results < 0 ? 1 : results;
  lua_insert(L, -(n + 1));
  return n + 1;
}

// Closes the pending to-be-closed variables of co and returns the status. If closing fails, the
// error value is on top of the stack of co.
int close_thread(lua_State* L, lua_State* co) {
  Sandbox& box = Sandbox::of(L);
  box.check_depth(L);
  int status = LUA_OK;
  {
    const Sandbox::Running running(box, co);
    Sandbox::copy_hook(L, co);
    status = lua_resetthread(co);
    Sandbox::copy_hook(co, L);
  }
  box.check(L, status);
  return status;
}

int call_wrapped(lua_State* L) {
  lua_State* co = lua_tothread(L, lua_upvalueindex(1));
  const int results = resume_with(L, co, lua_gettop(L));
  if (results >= 0) return results;
  const int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD && close_thread(L, co) != LUA_OK) {
    if (lua_gettop(co) > 0) lua_xmove(co, L, 1);  // error value of the failed close
  }
  return lua_error(L);
}

int wrap(lua_State* L) {
  create(L);
  lua_pushcclosure(L, guarded<call_wrapped>, 1);
  return 1;
}

int close(lua_State* L) {
  lua_State* co = coroutine_at(L, 1);
  lua_Debug info;
  const bool running = co == L || (lua_status(co) == LUA_OK && lua_getstack(co, 0, &info));
  if (running) return luaL_error(L, "cannot close a running coroutine");
  if (close_thread(L, co) == LUA_OK) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushboolean(L, false);
  lua_xmove(co, L, 1);
  return 2;
}

}  // namespace

void push_coroutine_library(lua_State* L) {
  luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 0);
  lua_newtable(L);
  constexpr const char* kept[] = {"isyieldable", "running", "status", "yield"};
  copy_functions(L, -2, kept, false);
  constexpr Function own[] = {
      {"close", guarded<close>},
      {"create", guarded<create>},
      {"resume", guarded<resume>},
      {"wrap", guarded<wrap>},
  };
  add_functions(L, own);
  lua_remove(L, -2);
}

}  // namespace torsor::lua
