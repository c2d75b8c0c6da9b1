#pragma once
// The Jacobian of a transmission as a Lua function:
//
//   function(q, v) return J, J_dot end
//
// q and v are lists of the positions and rates of the transmission's joints. J is a list of rows,
// one row per joint and one column per motor. J_dot is its rate, in the same form. Without J_dot,
// the rate is computed by differences of J, to about ten digits.
//
// Like the functions of time (values/time_function.hpp), the function must depend only on its
// arguments, and the values that it reaches are frozen when an experiment is created.

#include "torsor/scripting/objects/scene.hpp"

namespace torsor::lua {

// Returns the law of the function at a stack index. owner: the beginning of error messages. The law
// does not own the script.
std::shared_ptr<const TransmissionLaw> law_of_function(lua_State* L, int index,
                                                       const std::string& owner);

// Returns the function of a law as a registry key, or nullopt if it is no Lua function.
std::optional<FunctionReference> function_of(const std::shared_ptr<const TransmissionLaw>& law);

// Makes the laws of the robot own the script, so that they can be evaluated after it has ended.
void own_script(RobotDescription& robot, const std::shared_ptr<LoadedScript>& script);

}  // namespace torsor::lua
