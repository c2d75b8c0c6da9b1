#pragma once

#include <string>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct ScenePanel {
  std::string search;
};

struct Selection;
// Something by its name. Throws Error where there is no such thing.
Selection find_selection(const Editor& editor, const std::string& kind, const std::string& name);
// What is selected, as scene.select takes it: "link link4", or "none".
std::string selection_text(const Editor& editor);

}  // namespace torsor::editor
