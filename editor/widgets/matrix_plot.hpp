#pragma once
// Draws matrices as heat maps, with names and units in tooltips.

#include <optional>
#include <utility>

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

using Cell = std::pair<size_t, size_t>;  // row and column
// Draws a matrix over the width of the panel. Returns the entry under the mouse. One entry may be
// marked. Only visible cells are drawn. If cells would be smaller than three pixels, several
// entries form one square with the colour of the largest entry.
std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked = {});

}  // namespace torsor::editor
