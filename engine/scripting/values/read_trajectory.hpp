#pragma once
// Reads arm:trajectory(name, { parameter = value }): a motion of the arm's joints, or of a frame in
// the world. The type of a parameter determines the form of its value:
// - joint positions: a list in dof order, or a table by joint name
// - poses: the form of a link's origin
// - paths: a list of { time, position }, or the name of a CSV file
// - tables: a list of rows
//
//   local move = arm:trajectory("quintic", { from = {0, 0}, to = { elbow = 1 }, duration = 2 })
//   move.duration, move.breaks, move.smoothness, move.order
//   move:at(t)   { q, v, vdot, vddot, vdddot }, or { pose, twist, twist_dot, ... } of a frame

#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Implements arm:trajectory with its arguments at stack indices 1 to 3. Freezes the robot: its
// joints can no longer be changed.
int make_trajectory(lua_State* L);

// Creates the Lua type of trajectory handles.
void add_trajectory_type(lua_State* L);

// Returns the trajectory at a stack index, or null for another value.
std::shared_ptr<const Trajectory> trajectory_at(lua_State* L, int index);

// Returns the motion of one joint of the trajectory. Throws Error if the trajectory does not move a
// joint with this name and kind.
std::function<void(double t, std::span<double> v, std::span<double> vdot)> motion_of_joint(
    const std::shared_ptr<const Trajectory>& trajectory, const std::string& joint, JointKind kind);

}  // namespace torsor::lua
