#pragma once
// Matrices as heat maps, with names and units in tooltips.

#include <optional>
#include <utility>

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

using Cell = std::pair<size_t, size_t>;  // row and column
// Draws a matrix over the width of the panel and returns the entry under the mouse; one may be
// marked. Only visible cells are drawn. Matrices too large for cells of three pixels are drawn in
// squares, each with the colour of its largest entry.
std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked = {});

}  // namespace torsor::editor
