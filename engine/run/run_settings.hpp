#pragma once
// Settings that replace values of a scene.

#include <optional>
#include <string>

#include "torsor/run/experiment.hpp"

namespace torsor {

struct RunSettings {
  std::optional<std::string> solver = {}, constraint_solver = {}, integrator = {};
  std::optional<double> duration = {}, dt = {};  // in s
};

// Returns the experiment with its values replaced by the settings that are given. prefix: text
// before the name of a setting in messages. Throws Error in these cases:
// - The integrator or the constraint solver is unknown.
// - dt or duration is not valid.
// - The time of a change in the experiment is not a multiple of dt.
Experiment with_settings(Experiment experiment, const RunSettings& settings,
                         const char* prefix = "--");

}  // namespace torsor
