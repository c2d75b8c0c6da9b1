#include "torsor/scripting/plugins/lua_kind.hpp"

#include <algorithm>

namespace torsor::lua {

// The rows are in lua_KIND.cpp.
LuaKind solver_kind(), controller_kind(), force_kind(), trajectory_kind(), constraint_solver_kind();

const std::vector<LuaKind>& lua_kinds() {
  static const std::vector<LuaKind> kinds{solver_kind(), controller_kind(), force_kind(),
                                          trajectory_kind(), constraint_solver_kind()};
  return kinds;
}

const LuaKind& lua_kind(std::string_view name) {
  return *std::ranges::find(lua_kinds(), name, &LuaKind::name);
}

}  // namespace torsor::lua
