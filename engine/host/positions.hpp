#pragma once
// Plugin parameters that describe motion: positions of the joints, paths, tables and poses. These
// functions check the values and convert them to the numbers that plugins receive.

#include <optional>
#include <vector>

#include "torsor/plugin/parameter.hpp"

namespace torsor {

// Returns true if the parameter is a position, a path, a table or a pose. Parameters of these types
// have no initial value.
bool is_motion(const torsor_param& row);

// Describes for a message what the user may give as the value.
std::string what_motion_takes(const torsor_param& row);

// Returns the origin q_0 [n_q] of a plugin's position coordinates: chart_base()
// (handles/trajectory.hpp) of the first of these that exists:
// - the value of the first parameter that is a position;
// - the first row of the first parameter that is a path;
// - the neutral position.
//
// Throws Error under the same conditions as motion_numbers().
std::vector<double> base_of(const torsor_descriptor& descriptor, const Model& model,
                            const std::vector<Parameter>& parameters);

// Converts the value of a motion parameter to the numbers that the plugin receives. Returns nullopt
// if the value has another type. Throws Error if the value is invalid. The message is a clause
// whose subject is the parameter: "has 3 entries ...".
std::optional<std::vector<double>> motion_numbers(const torsor_param& row, const Model& model,
                                                  const std::vector<double>& base,
                                                  const ParameterValue& value);

}  // namespace torsor
