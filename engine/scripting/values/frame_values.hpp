#pragma once
// Pushes matrices, operational-space quantities and centroidal quantities as Lua values.

#include <lua.hpp>
#include <span>

#include "torsor/analysis/operational_space.hpp"
#include "torsor/mechanics/centroidal.hpp"

namespace torsor::lua {

// Pushes a matrix as a list of rows with `columns` entries each.
void push_matrix(lua_State* L, std::span<const double> rows, size_t columns);
void push_matrix(lua_State* L, const Eigen::MatrixXd& A);

// Pushes a table of the quantities. scripts/README.md lists its keys.
void push_operational_space(lua_State* L, const OperationalSpace& space);
void push_centroidal(lua_State* L, const Centroidal& whole);

}  // namespace torsor::lua
