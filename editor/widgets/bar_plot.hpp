#pragma once
// Draws vectors as bars, sums as stacked bars, and values on a logarithmic axis. Draws only visible
// rows. Tooltips show complete names and all digits.

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

// Draws a row for each entry of a vector, with a bar to the right or left of a common zero.
void draw_bars(const NumberTable& table);
// Draws a stacked bar for each row of the table. The last column is the sum of the others.
void draw_stacked_bars(const NumberTable& table);
// Draws marks for positive values on a logarithmic axis.
void draw_log_axis(const std::vector<double>& values, const std::string& unit);

}  // namespace torsor::editor
