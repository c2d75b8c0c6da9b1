#pragma once
// Reads the arguments of world:force and arm:force.
//
// world:force(name, { parameter = value }) adds a force plugin. A value is a number, a list of
// numbers, true, false, a string, a frame, or a list of frames. A frame is given by its name
// ("ROBOT.FRAME" or "world"), or as a table { frame = .., origin = .. } with a pose in the named
// frame.
//
// arm:force(f, { frames = { FRAME, .. } }) adds a force that a Lua function f(t, state) computes.
// The force acts BY the environment ON the robot.
// - state is { q =, v =, frames = { FRAME = { pose =, twist = } } }, see reference_values.hpp.
// - f returns { tau = {..}, wrenches = { FRAME = { moment =, force = } } }. tau is a list in dof
//   order. A wrench acts at the origin of its frame and is in world axes.

#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"

namespace torsor::lua {

// Reads the parameters of a plugin from a table. Skips the keys in `others`, which are not
// parameters.
std::vector<Parameter> read_parameters(lua_State* L, int table, const std::string& owner,
                                       std::span<const char* const> others = {});
// Replaces frame names by the names used in the model. If the model has only one robot, its frame
// names have no prefix "ROBOT.".
void use_model_names(const Model& model, std::vector<Parameter>& parameters);
// Reads a parameter value: true or false, a number, a string, a frame, or a list. Entries of a list
// are numbers, lists of numbers, or frames. A frame is a name or a table.
ParameterValue read_plain_value(lua_State* L, int index, const Place& place);

// Reads the arguments of world:force at stack indices 2 and 3.
ForceRequest read_force(lua_State* L, const std::string& source);

// Reads the arguments of arm:force at stack indices 2 and 3.
ForceFunctionRequest read_force_function(lua_State* L, const std::string& robot,
                                         const std::string& source);

// Creates the force. Throws Error in these cases:
// - The plugin does not exist.
// - The plugin has no parameter of a given name.
// - The plugin rejects a value.
//
// The message begins with the place of the request.
std::shared_ptr<const Force> make_force(const std::optional<Registry>& plugins,
                                        const std::shared_ptr<const Model>& model,
                                        const ForceRequest& request);

}  // namespace torsor::lua
