#pragma once

#include "editor/panels/dynamics_table.hpp"
#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct DynamicsPanel {
  DynamicsView view = DynamicsView::M;
  std::string frame;  // of J; a name that the model does not have: its last frame
};

}  // namespace torsor::editor
