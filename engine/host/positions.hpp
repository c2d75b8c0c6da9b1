#pragma once
// Parameters that are motions: positions of the joints, paths, tables and poses, checked and as
// plugins are given them.

#include <optional>
#include <vector>

#include "torsor/plugin/parameter.hpp"

namespace torsor {

// The types from TORSOR_CONFIGURATION on, which have no initial value.
bool is_motion(const torsor_param& row);

// What the user may give, for messages.
std::string what_motion_takes(const torsor_param& row);

// The base [n_q] of a plugin's coordinates (chart_base): of its first parameter that is a
// configuration, or of the first row of its first path; where neither is given, of the neutral
// position. Throws Error as motion_numbers().
std::vector<double> base_of(const torsor_descriptor& descriptor, const Model& model,
                            const std::vector<Parameter>& parameters);

// The numbers that a plugin is given for a value of such a row; none where the value is of another
// kind. Throws Error with what is wrong, as a sentence whose subject is the parameter: "has 3
// entries ...".
std::optional<std::vector<double>> motion_numbers(const torsor_param& row, const Model& model,
                                                  const std::vector<double>& base,
                                                  const ParameterValue& value);

}  // namespace torsor
