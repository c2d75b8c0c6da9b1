#pragma once
// arm:trajectory(name, { parameter = value }): a motion of the arm's joints, or of a frame in the
// world. Values are as their parameters are: positions of the joints in column order or by joint
// names, poses as origins are said, paths as lists of { time, position } or as the name of a CSV
// file, tables as lists of rows.
//
//   local move = arm:trajectory("quintic", { from = {0, 0}, to = { elbow = 1 }, duration = 2 })
//   move.duration, move.breaks, move.smoothness, move.order
//   move:at(t)        { q, v, vdot, vddot, vdddot }, or { pose, twist, twist_dot, ... } of a frame

#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// A method of a robot: arguments 1 to 3 on the stack. Its joints are what they are from then on.
int make_trajectory(lua_State* L);

// The type of its handles.
void add_trajectory_type(lua_State* L);

// The one at an index of the stack, or null where something else is there.
std::shared_ptr<const Trajectory> trajectory_at(lua_State* L, int index);

// Of a joint of this name and kind that follows it. Throws Error where it moves no such joint.
std::function<void(double t, std::span<double> v, std::span<double> vdot)> motion_of_joint(
    const std::shared_ptr<const Trajectory>& trajectory, const std::string& joint, JointKind kind);

}  // namespace torsor::lua
