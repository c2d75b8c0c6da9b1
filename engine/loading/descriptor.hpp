#pragma once
// Reads the descriptor of a plugin defensively: its structs may be larger than this engine's, and
// wrong.

#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// Returns what is wrong with a descriptor, as a clause, or nullopt if it is valid.
std::optional<std::string> descriptor_defect(const torsor_descriptor* descriptor);

// Returns the parameters of a valid descriptor. Members that an older plugin lacks are zero.
std::vector<torsor_param> parameter_rows(const torsor_descriptor& descriptor);

// Returns the names of the values of a choice parameter.
std::vector<std::string> choice_names(const torsor_param& choice);

}  // namespace torsor
