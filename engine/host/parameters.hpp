#pragma once
// Setting a plugin's parameters by name, checked against its rows.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/dynamics/plugin.hpp"

namespace torsor {

// A frame by the name of one of the model's, or "world", and a pose in it.
struct FramePlace {
  std::string name;
  Pose<double> X = Pose<double>::identity();
};

// A number or numbers for real and integer parameters, a bool for a flag, a name for a choice, a name or places for frames.
using ParameterValue = std::variant<double, bool, std::string, std::vector<double>, std::vector<FramePlace>>;

struct Parameter {
  std::string name;
  ParameterValue value;
};

// Call before the plugin is prepared, for the model it will be prepared for. Throws Error: unknown name (with "did you mean" and the list), wrong
// type, count, range or choice, or the plugin's own refusal with its reason.
void set_parameter(Plugin& plugin, const Model& model, const Parameter& parameter);

// Gives every parameter the initial value of its row, so that what the rows say is so; one that takes any
// number of values keeps what the plugin starts with.
void set_initial_parameters(Plugin& plugin);

// Throws Error where a frame that the plugin cannot do without is not among the parameters.
void require_frames(const Plugin& plugin, const std::vector<Parameter>& parameters);

}  // namespace torsor
