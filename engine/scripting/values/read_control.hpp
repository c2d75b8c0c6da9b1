#pragma once
// Reads arm:control(law, { rate =, reference =, measures = "joints" | "motors", sensor = {..},
// max_torque =, name =, .. }). The torques of the control law are added to all other applied
// torques.
//
// law is one of:
//
//   "NAME"                            A controller plugin. The table also contains the parameters
//                                     of the plugin. `model` is the robot whose model the
//                                     controller uses as its nominal model, and `solver` is the
//                                     solver of the nominal model.
//   function(t, state, ref, memory)   A Lua function that returns the torques: a list in dof
//                                     order, or a number for one dof.
//
// Arguments of the function:
//
//   t        time in s
//   state    { q =, v =, motor_q =, motor_v =, lower =, upper =, sensors = }, see sensors below
//   ref      reference, a table as in reference_values.hpp, or nil if the control has none
//   memory   the list given as memory = {..}. A sampled law may change the entries, which are kept
//            until the next sample. A continuous-time law instead returns the time derivatives of
//            the entries as a second result.
//
// Options:
// - rate: sampling rate in Hz. Without a rate, the law is continuous-time: the integrator evaluates
//   it within its steps.
// - reference: a trajectory, a fixed { q = joint positions } or { pose = pose in the world }, or a
//   function of t that returns a table as in reference_values.hpp.
// - sensor: { resolution =, noise =, rate_noise =, differentiates =, delay =, seed = }, see
//   control/sensor.hpp.
// - sensors: the names of the sensors that the law reads (read_sensor.hpp). In state.sensors, the
//   key of each one is this name.

#include "torsor/scripting/objects/scene.hpp"

namespace torsor::lua {

class TableReader;

// Reads the arguments of arm:control at stack indices 2 and 3.
ControlRequest read_control(lua_State* L, RobotObject& robot, const std::string& source);

// Returns a reference law that follows a trajectory or a sequence of them.
ReferenceLaw following(const std::shared_ptr<const DesiredMotion>& trajectory);

// Prepares a control with a model of this robot alone, with its base pose in its world. Throws
// Error with the place of the request at the beginning of the message.
RunControl make_control(lua_State* L, const ControlRequest& request, RobotObject& robot,
                        const Vec3<double>& gravity_W);

}  // namespace torsor::lua
