#pragma once
// What a plugin says of itself, read with care: its structs may be larger than this engine's, and
// wrong.

#include <optional>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

// What is wrong with a descriptor, as a clause; nothing where it is sound.
std::optional<std::string> descriptor_defect(const torsor_descriptor* descriptor);

// Returns the parameters of a sound descriptor. Members that an older plugin does not have are
// zero.
std::vector<torsor_param> parameter_rows(const torsor_descriptor& descriptor);

// The names of a choice.
std::vector<std::string> choice_names(const torsor_param& choice);

}  // namespace torsor
