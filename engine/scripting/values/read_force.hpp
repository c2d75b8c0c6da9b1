#pragma once
// world:force(name, { parameter = value }): a number, a list of numbers, true or false, a name;
// frames by their names "ROBOT.FRAME" or "world", or as { frame = name, origin = pose in it },
// alone or in a list.
//
// arm:force(function(t, state) return { tau = {..}, wrenches = { FRAME = { moment =, force = } } }
// end, { frames = { FRAME, .. } }): what the environment exerts on the joints, a list in column
// order, and on frames at their origins, in the axes of the world. state is { q =, v =, frames = {
// FRAME = { pose =, twist = } } }, see reference_values.hpp.

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/scene.hpp"

namespace torsor::lua {

// The parameters of a plugin in a table, but for keys that mean something else.
std::vector<Parameter> read_parameters(lua_State* L, int table, const std::string& owner,
                                       std::span<const char* const> others = {});
// Frames by the names of the model: those of a single robot stand there without its name.
void use_model_names(const Model& model, std::vector<Parameter>& parameters);
// A number, a list of numbers or of such lists, true or false, a text; frames by name or as a
// table, alone or in a list.
ParameterValue read_plain_value(lua_State* L, int index, const Place& place);

// The arguments 2 and 3 on the stack.
ForceRequest read_force(lua_State* L, const std::string& source);

// The arguments 2 and 3 on the stack of arm:force.
ForceFunctionRequest read_force_function(lua_State* L, const std::string& robot,
                                         const std::string& source);

// Throws Error, which starts with the source: there is no such plugin or parameter, a value is not
// what the plugin takes.
std::shared_ptr<const Force> make_force(const std::optional<Registry>& plugins,
                                        const std::shared_ptr<const Model>& model,
                                        const ForceRequest& request);

}  // namespace torsor::lua
