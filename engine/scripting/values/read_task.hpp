#pragma once
// Reads the task of a frame: the frame, its target or its motion, and the joints that may move.

#include "torsor/mechanics/inverse_kinematics.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads a q in dof order and normalizes its quaternions.
std::vector<double> positions_at(lua_State* L, int index, const Place& place, const Model& model);

// Reads frame = name.
const Frame& read_frame(const TableReader& table, const Model& model);

// Returns the index of a joint.
int joint_named(const Place& place, const Model& model, const std::string& name);

// Reads { angular =, linear = }, at least one of them. Sets `counts` to the components that are
// given.
Twist<double> read_twist(const TableReader& parent, const char* key, Components& counts);

// Reads components = { "x", .. }, a subset of the given components. Without the key, returns all of
// them.
Components read_components(const TableReader& table, const Components& given);

// Reads frame =, components =, and one of pose = {..}, position = {x, y, z}, orientation = { rpy =
// .. }, all in world coordinates.
PoseTarget read_target(const TableReader& table, const Model& model);

// Reads start = and hold = into q, and tolerance = and max_iterations =.
SearchSettings read_search(const TableReader& table, const Model& model, std::vector<double>& q);

}  // namespace torsor::lua
