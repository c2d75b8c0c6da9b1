#pragma once
// Shows parameters of plugins as rows, with their descriptions and values.

#include <optional>
#include <string>
#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::editor {

// Return the texts of a parameter's row. Type: "real", "3 reals", "choice". Range: "0 to 1", "from
// 0", "left, right". Initial value: "0.5", "must be given".
std::string type_text(const torsor_param& row);
std::string range_text(const torsor_param& row);
std::string initial_text(const torsor_param& row);
// Returns a value with enough digits to distinguish numbers by eye, or with 17 digits if all_digits
// is true.
std::string value_text(const torsor_param& row, const ParameterValue& value,
                       bool all_digits = false);

// Returns the value of a string: "0.5", "1, 2, 3", "on", a name. Throws Error if it does not have
// the row's type, and for rows whose values cannot be written as strings.
ParameterValue read_value(const torsor_param& row, const std::string& text);

// An edit in a table of settings: a new value as a string for read_value().
struct SettingEdit {
  std::string name, text;
};
// Draws a table of a plugin's parameters into the current window. Returns the edit of this frame,
// if any. frames: the choices for a frame parameter. editable: false disables edits.
std::optional<SettingEdit> draw_settings(const torsor_descriptor& descriptor,
                                         const std::vector<Setting>& settings,
                                         bool editable = false,
                                         const std::vector<std::string>& frames = {});

}  // namespace torsor::editor
