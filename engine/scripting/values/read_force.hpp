#pragma once
// Reads forces.
//
// world:force(name, { parameter = value }) takes a number, a list of numbers, true or false, or a
// name. A frame is a name "ROBOT.FRAME" or "world", or { frame = name, origin = pose in it }. A
// parameter may be one frame or a list of frames.
//
// arm:force(function(t, state) return { tau = {..}, wrenches = { FRAME = { moment =, force = } } }
// end, { frames = { FRAME, .. } }) returns the forces of the environment. tau is a list in dof
// order. Wrenches act on frames, at their origins, in world axes. state is { q =, v =, frames = {
// FRAME = { pose =, twist = } } }, see reference_values.hpp.

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// Reads the parameters of a plugin from a table. Skips the keys in `others`, which have another
// meaning.
std::vector<Parameter> read_parameters(lua_State* L, int table, const std::string& owner,
                                       std::span<const char* const> others = {});
// Replaces frame names by the names in the model. In a model with a single robot, names have no
// robot prefix.
void use_model_names(const Model& model, std::vector<Parameter>& parameters);
// Reads a number, a list of numbers, a list of such lists, true or false, a string, or a list of
// names. Reads frames by name or as a table, alone or in a list.
ParameterValue read_plain_value(lua_State* L, int index, const Place& place);

// Reads the arguments of world:force at stack indices 2 and 3.
ForceRequest read_force(lua_State* L, const std::string& source);

// Reads the arguments of arm:force at stack indices 2 and 3.
ForceFunctionRequest read_force_function(lua_State* L, const std::string& robot,
                                         const std::string& source);

// Creates the force. Throws Error if the plugin or the parameter does not exist, or if the plugin
// rejects a value. The message begins with the source.
std::shared_ptr<const Force> make_force(const std::optional<Registry>& plugins,
                                        const std::shared_ptr<const Model>& model,
                                        const ForceRequest& request);

}  // namespace torsor::lua
