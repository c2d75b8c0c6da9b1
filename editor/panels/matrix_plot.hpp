#pragma once
// Matrices as heat maps: drawn in bulk, names and units in tooltips.

#include <optional>
#include <utility>

#include "editor/panels/number_table.hpp"

namespace torsor::editor {

using Cell = std::pair<size_t, size_t>;  // row and column
// Fills the width there is; high as its rows need. Returns the cell under the mouse; one may be marked.
std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked = {});

}  // namespace torsor::editor
