#pragma once
// Parameters of plugins as rows: what each is, and what it has.

#include <optional>
#include <string>
#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/sdk/torsor_plugin.h"

namespace torsor::editor {

// "real", "3 reals", "choice"; "0 to 1", "from 0", "left, right"; "0.5", "must be given".
std::string type_text(const torsor_param& row);
std::string range_text(const torsor_param& row);
std::string initial_text(const torsor_param& row);
// With as many digits as it takes to tell numbers apart by eye; all of them: with 17.
std::string value_text(const torsor_param& row, const ParameterValue& value,
                       bool all_digits = false);

// The value that a text stands for: "0.5", "1, 2, 3", "on", a name. Throws Error for one that is
// not of the row's type, and for rows whose values have no text.
ParameterValue read_value(const torsor_param& row, const std::string& text);

// What a user did to a table of settings: a new value as a text that read_value() takes.
struct SettingEdit {
  std::string name, text;
};
// A table of what a plugin has, into the present window; frames: what may be chosen where a frame
// is needed. Nothing is changed where editable is not said.
std::optional<SettingEdit> draw_settings(const torsor_descriptor& descriptor,
                                         const std::vector<Setting>& settings,
                                         bool editable = false,
                                         const std::vector<std::string>& frames = {});

}  // namespace torsor::editor
