#pragma once

#include <map>
#include <optional>
#include <string>

#include "editor/panels/dynamics/data.hpp"
#include "editor/panels/dynamics/formula.hpp"
#include "editor/panels/panel.hpp"
#include "editor/widgets/matrix_plot.hpp"

namespace torsor::editor {

// The panel Dynamics: the matrices of the equation of motion and their derivatives, as tables.
struct DynamicsPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  DynamicsView view = DynamicsView::M;
  std::map<DynamicsGroup, DynamicsView> last;  // last view shown of each group
  std::string frame;  // frame of J and Lambda; the last frame if the model has none with this name
  // Name of dof k of the Christoffel symbols; the first dof if the model has none with this name.
  std::string column;
  std::optional<Cell> entry;  // (i, j) of the selected entry of a matrix or of a symbol
  DynamicsSource source;
  QuantityFormulae formulae;
};

}  // namespace torsor::editor
