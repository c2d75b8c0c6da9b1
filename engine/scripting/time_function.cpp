#include "torsor/scripting/time_function.hpp"

namespace torsor::lua {

namespace {

constexpr const char* frozen_table = "torsor.frozen";  // each object that was reached -> what it held

// What a nil upvalue is remembered as.
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

void refuse_coroutine() {
  throw Error("a function of time cannot use a coroutine from outside: it would go on from call to call");
}

// Remembers what the object on top holds and what can be reached from it; pops it. frozen: the table's index.
void freeze(lua_State* L, int frozen) {
  luaL_checkstack(L, 10, "values that hold each other");
  Sandbox::of(L).charge(L, 10);
  Sandbox::of(L).check_depth(L);
  const int object = lua_gettop(L), type = lua_type(L, object);
  if (type == LUA_TTHREAD) refuse_coroutine();
  if (type == LUA_TFUNCTION && lua_iscfunction(L, object)) {
    for (int i = 1; lua_getupvalue(L, object, i); ++i)
      if (lua_type(L, -1) == LUA_TTHREAD) refuse_coroutine();
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
  const auto remember = [&] {  // key and value on top
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

[[noreturn]] void refuse_change(const std::string& what) {
  throw Error(fmt::format(
      "a function of time changes {}: it is called at any time and again, and must depend on t alone", what));
}

// Whether the function at `object` has the upvalues of its copy.
void check_function(lua_State* L, int object, int copy) {
  for (int i = 1; const char* name = lua_getupvalue(L, object, i); ++i) {
    if (lua_isnil(L, -1)) push_absent(L), lua_replace(L, -2);
    lua_rawgeti(L, copy, i);
    if (!same(L, -1, -2)) refuse_change(fmt::format("the variable '{}'", name));
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
    refuse_change(fmt::format("the entry '{}' of a table", luaL_tolstring(L, -1, nullptr)));
  }
  for (lua_pushnil(L); lua_next(L, copy); lua_pop(L, 1)) ++remembered;
  if (entries != remembered) refuse_change("a table");
}

void check_frozen(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, frozen_table);
  const int frozen = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, frozen); lua_pop(L, 1)) {
    const int copy = lua_gettop(L), object = copy - 1;
    Sandbox::of(L).charge(L, 10);
    lua_istable(L, object) ? check_table(L, object, copy) : check_function(L, object, copy);
  }
  lua_settop(L, frozen - 1);
}

// A kept function, called with t; read sees what it returns at an index of the stack.
template <class Read>
void call(LoadedScript& script, int function, double t, const Read& read) {
  const std::lock_guard turn(script.mutex);
  script.box.renew_budget();
  script.box.run([&](lua_State* L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, function);
    lua_pushnumber(L, t);
    lua_call(L, 1, 1);
    const int result = lua_gettop(L);
    check_frozen(L);
    read(L, result);
  });
}

}  // namespace

int keep_function(lua_State* L, int index) {
  lua_pushvalue(L, index);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

Wrench<double> read_wrench(const TableReader& wrench) {
  if (!wrench.has("moment") && !wrench.has("force")) wrench.fail("has neither moment nor force");
  const Vec3<double> zero{0, 0, 0};
  return {wrench.has("moment") ? wrench.vector("moment") : zero,
          wrench.has("force") ? wrench.vector("force") : zero};
}

Load with_time_functions(lua_State* L, const ExperimentObject& made,
                         const std::shared_ptr<LoadedScript>& script) {
  Load load = made.experiment.load;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, frozen_table);
  const int frozen = lua_gettop(L);
  const auto freeze_function = [&](int function, const std::string& source) {
    try {
      lua_rawgeti(L, LUA_REGISTRYINDEX, function);
      freeze(L, frozen);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", source, error.what()));
    }
  };
  for (const TimeWrench& wrench : made.wrenches) {
    freeze_function(wrench.function, wrench.source);
    const std::string owner = fmt::format("{}: the function of time for '{}'", wrench.source, wrench.name);
    load.wrench_of_time.emplace_back(wrench.frame, [=, function = wrench.function](double t) {
      Wrench<double> out;
      call(*script, function, t, [&](lua_State* now, int result) {
        out = read_wrench(TableReader(now, result, {owner, "its result"}, {"moment", "force"}));
      });
      return out;
    });
  }
  for (const TimeTorque& torque : made.torques) freeze_function(torque.function, torque.source);
  if (!made.torques.empty())
    load.tau_of_time = [script, torques = made.torques](double t, std::span<double> tau) {
      for (const TimeTorque& torque : torques)
        call(*script, torque.function, t, [&](lua_State* now, int result) {
          tau[size_t(torque.column)] += number_at(
              now, result,
              {fmt::format("{}: the function of time for '{}'", torque.source, torque.name), "its result"});
        });
    };
  lua_settop(L, frozen - 1);
  return load;
}

}  // namespace torsor::lua
