#pragma once
// Reads arm:control(law, { rate =, reference =, measures = "joints" | "motors", sensor = {..},
// max_torque =, name =, .. }). The torques of the law are added to the other applied torques.
//
// law is one of these:
//
//   "NAME"                            A plugin. Its parameters are other keys of the table.
//                                     model is the robot that it uses as its nominal model, and
//                                     solver is the solver of this model.
//   function(t, state, ref, memory)   A function that returns the torques: a list in dof order,
//                                     or a number for one dof.
//
// The arguments of the function:
//
//   state    { q =, v =, motor_q =, motor_v = }
//   ref      the reference as in reference_values.hpp, or nil without a reference
//   memory   the list given as memory = {..}. A sampled law may change it; the change is kept until
//            the next sample. A continuous-time law returns the rates of its entries after the
//            torques.
//
// rate is in Hz. Without a rate, the law is continuous-time: the integrator evaluates it within its
// steps. reference is a trajectory, a fixed { q = joint positions } or { pose = pose in the world
// }, or a function of t that returns a table as in reference_values.hpp. sensor is { resolution =,
// noise =, rate_noise =, differentiates =, delay =, seed = }, see control/sensor.hpp.

#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

class TableReader;

// Reads the arguments at stack indices 2 and 3.
ControlRequest read_control(lua_State* L, RobotObject& robot, const std::string& source);

// Returns a reference law that follows a trajectory.
ReferenceLaw following(const std::shared_ptr<const Trajectory>& trajectory);

// Prepares the control for the robot alone, at its place in the world. Throws Error, which begins
// with the source.
RunControl make_control(lua_State* L, const ControlRequest& request, RobotObject& robot,
                        const Vec3<double>& gravity_W);

}  // namespace torsor::lua
