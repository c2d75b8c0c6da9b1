#pragma once
// Set fields of the Lua table on top of the stack.

#include <Eigen/Core>
#include <span>
#include <string>

#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

inline void set_field(lua_State* L, const char* key, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}
inline void set_field(lua_State* L, const char* key, const std::string& value) {
  lua_pushlstring(L, value.data(), value.size());
  lua_setfield(L, -2, key);
}
inline void set_field(lua_State* L, const char* key, std::span<const double> values) {
  push_list(L, values);
  lua_setfield(L, -2, key);
}
// Sets a list of lists.
inline void set_rows(lua_State* L, const char* key, const Eigen::MatrixXd& rows) {
  lua_createtable(L, int(rows.rows()), 0);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::VectorXd row = rows.row(i);
    push_list(L, {row.data(), size_t(row.size())});
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, key);
}

}  // namespace torsor::lua
