#pragma once
// Draws matrices as heat maps, with names and units in tooltips.

#include <cstddef>
#include <optional>

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

// The place of an entry in a matrix.
struct Cell {
  size_t row, column;
  bool operator==(const Cell&) const = default;
};

// Draws a matrix as a heat map, with a frame around the marked entry. Returns the entry under the
// mouse. Draws only visible cells. If cells would be narrower than 3 pixels at scale 1, a cell
// shows the entry with the largest magnitude of a square block, which is also the entry returned.
std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked = {});

}  // namespace torsor::editor
