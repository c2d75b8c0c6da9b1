#pragma once
// Sets the parameters of a plugin by name, and checks them against its parameter table
// (torsor_param).

#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

// Sets a parameter. The plugin must not be prepared yet; it will be prepared for this model. base:
// base_of() all its parameters. Throws Error for an unknown name (with "did you mean" and the
// list), and for a wrong type, count, range or choice. If the plugin rejects the value, throws
// Error with its reason.
void set_parameter(Plugin& plugin, const Model& model, const std::vector<double>& base,
                   const Parameter& parameter);

// Sets every parameter to the initial value of its row, so that its values agree with its rows. A
// parameter with any number of values keeps the plugin's own initial values.
void set_initial_parameters(Plugin& plugin);

// Throws Error if a required parameter without an initial value is not among the parameters.
void require_given(const Plugin& plugin, const std::vector<Parameter>& parameters);

// Returns the settings of a plugin after set_initial_parameters() and these parameters, which it
// has accepted. For each row, in order, they contain the last or the initial value. A row with any
// number of values has an empty list if no values were given.
std::vector<Setting> settings(const Plugin& plugin, const std::vector<Parameter>& parameters);

}  // namespace torsor
