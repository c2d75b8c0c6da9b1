#pragma once
// What a script says of a frame's task: which frame, where it is to be or how it is to move, and
// which joints may move for it.

#include "torsor/mechanics/inverse_kinematics.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// A q in column order, its quaternions normalised.
std::vector<double> positions_at(lua_State* L, int index, const Place& place, const Model& model);

// frame = name
const Frame& read_frame(const TableReader& table, const Model& model);

// Index of a joint.
int joint_named(const Place& place, const Model& model, const std::string& name);

// { angular =, linear = }, one of them at least; those that are given count.
Twist<double> read_twist(const TableReader& parent, const char* key, Components& counts);

// components = { "x", .. }, of those that are given; all of them where it is left out.
Components read_components(const TableReader& table, const Components& given);

// frame =, components =, and one of pose = {..}, position = {x, y, z}, orientation = { rpy = .. },
// in the world.
PoseTarget read_target(const TableReader& table, const Model& model);

// start = and hold =, put into q, tolerance =, max_iterations =.
SearchSettings read_search(const TableReader& table, const Model& model, std::vector<double>& q);

}  // namespace torsor::lua
