#pragma once
// Shows parameters of plugins as rows, with their descriptions and values.

#include <optional>
#include <string>
#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::editor {

// Return descriptions of a parameter. Type: "real", "3 reals", "choice". Range: "0 to 1", "at least
// 0", "left, right". Initial value: "0.5", "required", "automatic".
std::string type_text(const torsor_param& row);
std::string range_text(const torsor_param& row);
std::string initial_text(const torsor_param& row);
// Returns a value as a string. Numbers have six digits, or enough digits to be read back exactly if
// all_digits is true. A table is shown as its size unless all_digits is true.
std::string value_text(const torsor_param& row, const ParameterValue& value,
                       bool all_digits = false);

// Converts a string to a value: "0.5", "1, 2, 3", "on", or a name. Throws Error if the string does
// not have the type of the row, or if values of this type cannot be written as strings.
ParameterValue read_value(const torsor_param& row, const std::string& text);

// An edit of a parameter: its name, and its new value as a string for read_value().
struct SettingEdit {
  std::string name, text;
};
// Draws a table of a plugin's parameters into the current ImGui window. editable: false disables
// edits. frames: names of the frames that a frame parameter can have. Returns the edit of this
// frame, if any.
std::optional<SettingEdit> draw_settings(const torsor_descriptor& descriptor,
                                         const std::vector<Setting>& settings,
                                         bool editable = false,
                                         const std::vector<std::string>& frames = {});

}  // namespace torsor::editor
