#pragma once
// Describes the parameters of plugins in words, for lists and error messages.

#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

struct ParameterHelp {
  std::string name, unit, help;
  std::string values;   // accepted values, such as "a number in [0, 1] rad"
  std::string initial;  // value of a parameter that is not given, or ""
  bool is_required = false;
};

// Returns a description of each parameter, in the order of the descriptor. The descriptor must be
// valid.
std::vector<ParameterHelp> parameter_help(const torsor_descriptor& descriptor);

// Returns what a parameter accepts, such as "a list of 3 numbers of at least 0 N m".
std::string what_it_takes(const torsor_param& row);

}  // namespace torsor
