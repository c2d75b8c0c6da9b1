#pragma once
// Converts references between C++ and Lua. In Lua, a reference is a table. Its keys depend on the
// kind of motion:
//   motion of joints                 q, v, vdot, vddot, vdddot
//   motion of a frame in the world   pose, twist, twist_dot, ..
// A twist is a table { angular = .., linear = .. }.

#include "torsor/handles/reference.hpp"
#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Sets a field of the table on top of the stack to a list of numbers.
void set_list(lua_State* L, const char* name, std::span<const double> values);

// Pushes a reference and its time derivatives up to reference.order.
void push_reference(lua_State* L, const Reference& reference, bool of_frame);

// Reads a reference into `out`. The vectors of `out` must already have their sizes. Missing
// derivatives are set to zero.
void read_reference(lua_State* L, int index, const Place& place, bool of_frame, Reference& out);

// Reads q [n_q] from a list in dof order or from a table by joint name. Joints that are missing in
// the table are at their neutral position.
std::vector<double> read_position(lua_State* L, int index, const Place& place, const Model& model);

}  // namespace torsor::lua
