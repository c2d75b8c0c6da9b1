#pragma once
// arm:control(law, { rate =, reference =, measures = "joints" | "motors", sensor = {..}, max_torque
// =, name =, .. }): a law of control, whose torques are added to what is applied beside.
//
//   "NAME"                              a plugin; its parameters stand beside, and model = a robot
//   that it takes for this one,
//                                       solver = that of its dynamics
//   function(t, state, ref, memory)     returns the torques, a list of the robot's columns, or a
//   number for one. state: { q =, v = };
//                                       ref: as reference_values.hpp says, nil without a reference;
//                                       memory: the list given as memory = {..}. With a rate the
//                                       law may change memory, which is kept to the next sample;
//                                       without one it returns the rates of its entries beside the
//                                       torques.
//
// rate: in Hz; without one the law is asked all the time, within the steps of the integrator.
// reference: a trajectory, { q = a position of the joints } or { pose = a pose in the world } to
// stay at, or a function of t that returns what reference_values.hpp says. sensor: { resolution =,
// noise =, rate_noise =, differentiates =, delay =, seed = }, see control/sensor.hpp.

#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

class TableReader;

// The arguments 2 and 3 on the stack.
ControlRequest read_control(lua_State* L, RobotObject& robot, const std::string& source);

// What follows a trajectory.
ReferenceLaw following(const std::shared_ptr<const Trajectory>& trajectory);

// Prepares it for the robot alone, where it stands. Throws Error, which starts with the source.
RunControl make_control(lua_State* L, const ControlRequest& request, RobotObject& robot,
                        const Vec3<double>& gravity_W);

}  // namespace torsor::lua
