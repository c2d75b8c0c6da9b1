// Implements arm:actuators, arm:keyframe and arm:keyframes: what a robot file says of the control
// of a robot, and its named states.

#include <fmt/format.h>

#include <array>
#include <span>

#include "torsor/scripting/scene/fields.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"

namespace torsor::lua {

namespace {

const RobotDescription& described(lua_State* L, const char* call) {
  return self<RobotObject>(L, robot_type, call).description;
}

// Sets a list { lower, upper }; leaves the field nil if the range is unlimited.
void set_range(lua_State* L, const char* key, const TorqueRange& range) {
  const TorqueRange none;
  if (range.lower == none.lower && range.upper == none.upper) return;
  set_field(L, key, std::span<const double>(std::array{range.lower, range.upper}));
}

}  // namespace

// Implements arm:actuators(): a list of { name =, joint =, kind =, gear =, gain =, bias =, input =,
// force = } (ActuatorDescription).
int robot_actuators(lua_State* L) {
  const RobotDescription& robot = described(L, "arm:actuators()");
  lua_createtable(L, int(robot.actuators.size()), 0);
  lua_Integer index = 0;
  for (const ActuatorDescription& actuator : robot.actuators) {
    lua_createtable(L, 0, 8);
    set_field(L, "name", actuator.name);
    set_field(L, "joint", actuator.joint);
    set_field(L, "kind", actuator.kind);
    set_field(L, "gear", std::span<const double>(actuator.gear));
    set_field(L, "gain", std::span<const double>(actuator.gain));
    set_field(L, "bias", std::span<const double>(actuator.bias));
    set_range(L, "input", actuator.input);
    set_range(L, "force", actuator.force);
    lua_rawseti(L, -2, ++index);
  }
  return 1;
}

// Implements arm:keyframe(name): the table { q =, v = } for arm:set, of a state of the robot file,
// and the list of the inputs of the actuators, or nil.
int robot_keyframe(lua_State* L) {
  const RobotDescription& robot = described(L, "arm:keyframe(name)");
  const std::string name = name_at(L, 2, {"arm:keyframe", "name"});
  std::vector<std::string> names;
  for (const NamedState& state : robot.states) {
    names.push_back(state.name);
    if (state.name != name) continue;
    lua_createtable(L, 0, 2);
    set_field(L, "q", std::span<const double>(state.q));
    set_field(L, "v", std::span<const double>(state.v));
    if (state.inputs.empty())
      lua_pushnil(L);
    else
      push_list(L, state.inputs);
    return 2;
  }
  throw Error(
      fmt::format("arm:keyframe: robot '{}' has no state '{}'{}", robot.name, name,
                  names.empty() ? "; its file has no named states" : did_you_mean(name, names)));
}

// Implements arm:keyframes(): the names of the states in the order of the file.
int robot_keyframes(lua_State* L) {
  const RobotDescription& robot = described(L, "arm:keyframes()");
  lua_createtable(L, int(robot.states.size()), 0);
  lua_Integer index = 0;
  for (const NamedState& state : robot.states) {
    lua_pushlstring(L, state.name.data(), state.name.size());
    lua_rawseti(L, -2, ++index);
  }
  return 1;
}

}  // namespace torsor::lua
