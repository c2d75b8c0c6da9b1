#pragma once
// Setting a plugin's parameters by name, checked against its rows.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/dynamics/solver.hpp"

namespace torsor {

// A number or numbers for real and integer parameters, a bool for a flag, a name for a choice.
using ParameterValue = std::variant<double, bool, std::string, std::vector<double>>;

struct Parameter {
  std::string name;
  ParameterValue value;
};

// Call before the plugin is prepared. Throws Error: unknown name (with "did you mean" and the list), wrong
// type, count, range or choice, or the plugin's own refusal with its reason.
void set_parameter(SolverPlugin& plugin, const Parameter& parameter);

// Gives every parameter the initial value of its row, so that what the rows say is so; one that takes any
// number of values keeps what the plugin starts with.
void set_initial_parameters(SolverPlugin& plugin);

}  // namespace torsor
