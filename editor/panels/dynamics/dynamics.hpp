#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "editor/panels/dynamics/data.hpp"
#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct DynamicsPanel {
  DynamicsView view = DynamicsView::M;
  std::map<DynamicsGroup, DynamicsView> last;  // view last shown of each group
  std::string frame;  // of J and Lambda; the last frame if the model has none of this name
  // K of the Christoffel symbols; the first dof if the model has none of this name.
  std::string column;
  std::optional<std::pair<size_t, size_t>> entry;  // (i, j) of the selected symbol
  DynamicsSource source;
};

}  // namespace torsor::editor
