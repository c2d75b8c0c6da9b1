#pragma once
// Reads arm:trajectory(name, { parameter = value }), a motion of the arm's joints or of a frame in
// the world. The type of a parameter determines the form of its value:
// - position: a list in dof order, or a table by joint name
// - pose: a table with the same keys as the origin of a link
// - poses: a list of such tables
// - path: a list of { time, position }, or the name of a CSV file
// - table: a list of rows
//
//   local move = arm:trajectory("quintic", { from = {0, 0}, to = { elbow = 1 }, duration = 2 })
//   move.duration, move.breaks, move.smoothness, move.order
//   move:at(t)   { q, v, vdot, vddot, vdddot }, or { pose, twist, twist_dot, ... } of a frame

#include "torsor/scripting/objects/scene.hpp"

namespace torsor::lua {

// Implements arm:trajectory. The arguments are at stack indices 1 to 3. Builds the model of the
// robot, so links can no longer be added.
int make_trajectory(lua_State* L);

// Adds torsor.sequence to the table at the top of the stack, and creates the Lua type of trajectory
// handles.
void add_trajectory_functions(lua_State* L);

// Adds a trajectory to the scene and pushes its handle.
void push_trajectory(lua_State* L, SceneContext& scene,
                     std::shared_ptr<const DesiredMotion> motion);

// Returns the trajectory at a stack index, or null if the value is not a trajectory.
std::shared_ptr<const DesiredMotion> trajectory_at(lua_State* L, int index);

// Returns a function that evaluates the trajectory for one of its joints. Throws Error if the
// trajectory does not move a joint with this name and kind.
std::function<void(double t, std::span<double> v, std::span<double> vdot)> motion_of_joint(
    const std::shared_ptr<const DesiredMotion>& trajectory, const std::string& joint,
    JointKind kind);

}  // namespace torsor::lua
