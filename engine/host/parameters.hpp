#pragma once
// Setting a plugin's parameters by name, checked against its rows.

#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"

namespace torsor {

// Call before the plugin is prepared, for the model it will be prepared for. base: base_of() all
// its parameters. Throws Error: unknown name (with "did you mean" and the list), wrong type, count,
// range or choice, or the plugin's own refusal with its reason.
void set_parameter(Plugin& plugin, const Model& model, const std::vector<double>& base,
                   const Parameter& parameter);

// Gives every parameter the initial value of its row, so that what the rows say is so; one that
// takes any number of values keeps what the plugin starts with.
void set_initial_parameters(Plugin& plugin);

// Throws Error where what has no initial value, and the plugin cannot do without, is not among the
// parameters.
void require_given(const Plugin& plugin, const std::vector<Parameter>& parameters);

// What the plugin has after set_initial_parameters() and these, which it took: of each row its last
// or its initial value, in the order of the rows. A row of any number of values that none was given
// for has an empty list.
std::vector<Setting> settings(const Plugin& plugin, const std::vector<Parameter>& parameters);

}  // namespace torsor
