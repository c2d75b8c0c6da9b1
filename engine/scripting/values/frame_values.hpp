#pragma once
// Matrices, and what is known of a frame and of the whole, as scripts see them.

#include <lua.hpp>
#include <span>

#include "torsor/analysis/operational_space.hpp"
#include "torsor/mechanics/centroidal.hpp"

namespace torsor::lua {

// A list of rows of so many columns each.
void push_matrix(lua_State* L, std::span<const double> rows, size_t columns);
void push_matrix(lua_State* L, const Eigen::MatrixXd& A);

// A table of each, scripts/README.md has the keys.
void push_operational_space(lua_State* L, const OperationalSpace& space);
void push_centroidal(lua_State* L, const Centroidal& whole);

}  // namespace torsor::lua
