#pragma once
// Reads arm:sensor("KIND", { .. }), a sensor of the robot in addition to the encoders of its joints
// (control/robot_sensor.hpp).
//
//   kind             where                                 parts of its values
//   "imu"            frame                                 angular, linear
//   "joint_wrench"   joint, and frame of the sensor        moment, force
//   "touch"          link, and threshold (N)               one number
//   "contact_force"  link                                  one vector
//
// Options:
// - name: default is the kind. The signal is ROBOT.sensor.NAME.
// - rate: sampling rate in Hz; default is each step of the simulation.
// - delay, seed: as in the `sensor` of arm:control.
// - noise, bias, resolution: a table of its parts, or the value of its only part. A part is a
//   vector or a number for all its entries. Those of a contact switch are forces, N.

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads the arguments of arm:sensor at stack indices 2 and 3.
SensorRequest read_robot_sensor(lua_State* L, const std::string& robot, const std::string& source);

// Reads the entry `seed` of a table: a whole number of at least 0. Default: 0.
uint64_t read_seed(const TableReader& table);
// Reads the entry `rate` of a table, Hz. Returns the period, s, or 0 without this entry.
double read_period(const TableReader& table);

// Pushes what a sensor provides: a number, a vector, or a table of its parts.
void push_sensor_values(lua_State* L, SensorKind kind, std::span<const double> values);

}  // namespace torsor::lua
