#pragma once
// Parameters that are motions: positions of the joints, paths, tables and poses. Checks them and
// converts them to the numbers that plugins receive.

#include <optional>
#include <vector>

#include "torsor/plugin/parameter.hpp"

namespace torsor {

// Returns whether a parameter is a configuration, a path, a table or a pose. These have no initial
// value.
bool is_motion(const torsor_param& row);

// Returns what the user may give, for messages.
std::string what_motion_takes(const torsor_param& row);

// Returns the base [n_q] of a plugin's coordinates (chart_base). It is that of the first parameter
// that is a configuration, otherwise of the first row of the first path, otherwise of the neutral
// position. Throws Error as motion_numbers() does.
std::vector<double> base_of(const torsor_descriptor& descriptor, const Model& model,
                            const std::vector<Parameter>& parameters);

// Converts the value of a motion parameter to the numbers that the plugin receives. Returns nullopt
// if the value is of another kind. Throws Error with what is wrong, as a clause whose subject is
// the parameter: "has 3 entries ...".
std::optional<std::vector<double>> motion_numbers(const torsor_param& row, const Model& model,
                                                  const std::vector<double>& base,
                                                  const ParameterValue& value);

}  // namespace torsor
