#pragma once
// Vectors as bars, sums as stacked bars, and values on a logarithmic axis: drawn in bulk, names and
// units in tooltips.

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

// A row for each entry: bars right and left of a common zero.
void draw_bars(const NumberTable& table);
// A row for each row of the table, whose last column is the sum of the others.
void draw_stacked_bars(const NumberTable& table);
// Where positive values stand on a logarithmic axis.
void draw_log_axis(const std::vector<double>& values, const std::string& unit);

}  // namespace torsor::editor
