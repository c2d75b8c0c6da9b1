#include "torsor/scripting/scene.hpp"

#include "torsor/scripting/modules.hpp"
#include "torsor/scripting/read_trajectory.hpp"

namespace torsor::lua {

void push_handle(lua_State* L, void* object, const char* type) {
  *static_cast<void**>(lua_newuserdatauv(L, sizeof(void*), 0)) = object;
  luaL_setmetatable(L, type);
}

void* object_at(lua_State* L, int index, const char* type) {
  void* handle = luaL_testudata(L, index, type);
  return handle ? *static_cast<void**>(handle) : nullptr;
}

void make_type(lua_State* L, const char* type, std::span<const Function> methods) {
  luaL_newmetatable(L, type);
  lua_newtable(L);
  add_functions(L, methods);
  make_strict(L, type);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void open_torsor(lua_State* L) {
  lua_newtable(L);
  add_parameter_functions(L);
  add_robot_functions(L);
  add_trajectory_type(L);
  add_world_functions(L);
  add_planning_functions(L);
  make_strict(L, "torsor");
  provide_module(L, "torsor");
}

}  // namespace torsor::lua
