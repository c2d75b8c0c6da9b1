#pragma once
// Reads and checks descriptors of plugins. The structs may have been compiled with another version
// of the headers, so they may be smaller or larger than those of this engine. They may also be
// invalid.

#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// Returns a clause that says what is wrong with a descriptor, or nullopt if it is valid.
std::optional<std::string> descriptor_defect(const torsor_descriptor* descriptor);

// Returns the parameters of a valid descriptor. Members that did not exist when the plugin was
// compiled are zero.
std::vector<torsor_param> parameter_rows(const torsor_descriptor& descriptor);

// Returns the names of the choices of a parameter.
std::vector<std::string> choice_names(const torsor_param& choice);

}  // namespace torsor
