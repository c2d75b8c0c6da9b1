#pragma once

#include <string>

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct ScenePanel {
  std::string search;
};

}  // namespace torsor::editor
