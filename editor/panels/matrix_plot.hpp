#pragma once
// Matrices as heat maps, vectors as bars, sums as stacked bars: drawn in bulk, names and units in tooltips.

#include <functional>
#include <optional>
#include <utility>

#include "editor/panels/number_table.hpp"

namespace torsor::editor {

// How the numbers of a table are written beside each other.
struct NumberFormat {
  int exponent = 0;  // of ten, taken out of all
  int decimals = 0;

  std::string text(double x) const;
};
// With as many decimals as fit, three at most; nothing where not even two or three digits of the largest do. x is not empty.
std::optional<NumberFormat> number_format(const std::vector<double>& x,
                                          const std::function<bool(const std::string&)>& fits);

using Cell = std::pair<size_t, size_t>;  // row and column
// Fills the width there is; high as its rows need. Returns the cell under the mouse; one may be marked.
std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked = {});
// A row for each entry: bars right and left of a common zero.
void draw_bars(const NumberTable& table);
// A row for each row of the table, whose last column is the sum of the others.
void draw_stacked_bars(const NumberTable& table);
// Where positive values stand on a logarithmic axis.
void draw_log_axis(const std::vector<double>& values, const std::string& unit);

}  // namespace torsor::editor
