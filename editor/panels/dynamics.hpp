#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "editor/panels/dynamics_table.hpp"
#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct DynamicsPanel {
  DynamicsView view = DynamicsView::M;
  std::map<DynamicsGroup, DynamicsView> last;  // shown of each group
  std::string frame;   // of J and Lambda; a name that the model does not have: its last frame
  std::string column;  // k of the Christoffel symbols; likewise its first column
  std::optional<std::pair<size_t, size_t>> entry;  // (i, j) of the symbol that is read
};

}  // namespace torsor::editor
