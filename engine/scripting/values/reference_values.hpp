#pragma once
// Converts references between C++ and Lua, as tables with these keys:
//   motion of joints                 q, v, vdot, vddot, vdddot
//   motion of a frame in the world   pose, twist, twist_dot, ..
//   twist                            angular, linear

#include "torsor/handles/reference.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Sets a field of the table on top to a list of numbers.
void set_list(lua_State* L, const char* name, std::span<const double> values);

// Pushes a reference with its derivatives up to its order.
void push_reference(lua_State* L, const Reference& reference, bool of_frame);

// Reads a reference into `out`, whose sizes must be set. Missing derivatives are zero.
void read_reference(lua_State* L, int index, const Place& place, bool of_frame, Reference& out);

// Reads q [n_q] from a list in dof order or a table by joint name. Missing joints are at the
// neutral position.
std::vector<double> read_position(lua_State* L, int index, const Place& place, const Model& model);

}  // namespace torsor::lua
