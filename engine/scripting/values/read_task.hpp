#pragma once
// Reads the description of a task: the frame, its target pose or its twist, and the joints that may
// move.

#include "torsor/mechanics/inverse_kinematics.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads a list q in dof order. Normalizes the quaternions in it.
std::vector<double> positions_at(lua_State* L, int index, const Place& place, const Model& model);

// Reads the key frame, the name of a frame of the model.
const Frame& read_frame(const TableReader& table, const Model& model);

// Returns the index of the joint with this name. Throws Error if there is none.
int joint_named(const Place& place, const Model& model, const std::string& name);

// Reads a twist { angular =, linear = }. At least one of the two keys must be present. Sets
// `counts` to the components that are present.
Twist<double> read_twist(const TableReader& parent, const char* key, Components& counts);

// Reads components = { "x", .. }, which must be a subset of `given`. Returns `given` if the key is
// missing.
Components read_components(const TableReader& table, const Components& given);

// Reads the keys frame and components, and the target: pose = {..}, position = {x, y, z} or
// orientation = { rpy = .. }. The target is in world coordinates.
PoseTarget read_target(const TableReader& table, const Model& model);

// Reads the settings of a search. start and hold set entries of q. The joints named in hold do not
// move during the search. tolerance and max_iterations are the stopping criteria.
SearchSettings read_search(const TableReader& table, const Model& model, std::vector<double>& q);

}  // namespace torsor::lua
