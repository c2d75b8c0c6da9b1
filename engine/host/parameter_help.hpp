#pragma once
// Descriptions of a plugin's parameters in words, for lists and error messages.

#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor {

struct ParameterHelp {
  std::string name, unit, help;
  std::string values;   // values that it accepts: "a number in [0, 1] rad"
  std::string initial;  // value if it is not given; "" if it has none
  bool is_required = false;
};

// Returns the parameters of a valid descriptor, in its order.
std::vector<ParameterHelp> parameter_help(const torsor_descriptor& descriptor);

// Returns what a parameter accepts: "a list of 3 numbers of at least 0 N m".
std::string what_it_takes(const torsor_param& row);

}  // namespace torsor
