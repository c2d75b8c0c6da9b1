#pragma once

#include <string>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct ScenePanel {
  std::string search;
};

// What is selected, as scene.select takes it: "link link4", or "none".
std::string selection_text(const Editor& editor);

}  // namespace torsor::editor
