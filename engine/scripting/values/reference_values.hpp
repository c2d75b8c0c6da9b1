#pragma once
// Motions as scripts see them: { q =, v =, vdot =, vddot =, vdddot = } of joints, { pose =, twist
// =, twist_dot =, .. } of a frame in the world, twists as { angular =, linear = }.

#include "torsor/plugin/reference.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Of the table on top.
void set_list(lua_State* L, const char* name, std::span<const double> values);

// Derivatives up to the order of the reference.
void push_reference(lua_State* L, const Reference& reference, bool of_frame);

// Into a reference of the right sizes; derivatives that are not there are zero.
void read_reference(lua_State* L, int index, const Place& place, bool of_frame, Reference& out);

// q [n_q] from a list in column order, or a table by joint names; what is not said stays at the
// neutral position.
std::vector<double> read_position(lua_State* L, int index, const Place& place, const Model& model);

}  // namespace torsor::lua
