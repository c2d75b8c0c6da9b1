#pragma once
// Sets the parameters of a plugin by name. Checks them against the parameter table of the plugin
// (torsor_param).

#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

// Sets a parameter of a plugin that is not prepared yet. model: the model for which the plugin will
// be prepared. base: the result of base_of() for all parameters of the plugin. Throws Error in
// these cases:
// - The name is unknown. The message lists the known names.
// - The value has a wrong type, count, range or choice.
// - The plugin rejects the value. The message contains its reason.
void set_parameter(Plugin& plugin, const Model& model, const std::vector<double>& base,
                   const Parameter& parameter);

// Sets every parameter to the initial value in its row. A parameter of variable length is not set,
// so that it keeps the initial values of the plugin.
void set_initial_parameters(Plugin& plugin);

// Throws Error if a required parameter without an initial value is missing in `parameters`.
void require_given(const Plugin& plugin, const std::vector<Parameter>& parameters);

// Returns the values of all parameters of a plugin, in the order of its rows. `parameters` are the
// values that were set after set_initial_parameters(). If a parameter was set several times, its
// last value counts. A parameter of variable length that was not set has an empty list.
std::vector<Setting> settings(const Plugin& plugin, const std::vector<Parameter>& parameters);

}  // namespace torsor
