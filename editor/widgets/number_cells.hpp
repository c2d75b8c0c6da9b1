#pragma once
// Formats the numbers of a table so that they fit in cells.

#include <functional>
#include <optional>

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

struct NumberFormat {
  int exponent = 0;  // exponent of ten of a common factor; text() divides by it
  int decimals = 0;

  std::string text(double x) const;
};
// Returns the format with the most decimals, at most three, for which the smallest and the largest
// number fit. Returns nullopt if not even two or three digits fit. x must not be empty.
std::optional<NumberFormat> number_format(const std::vector<double>& x,
                                          const std::function<bool(const std::string&)>& fits);

double largest(const std::vector<double>& x);  // largest absolute value

float text_width(const std::string& text);
float widest(const std::vector<std::string>& texts);
// Returns the font size for numbers in cells, slightly smaller than normal.
float cell_font();
float cell_text_width(const std::string& text);

// Shows the names, value and unit of entry (i, j) as a tooltip.
void entry_tooltip(const NumberTable& table, size_t i, size_t j);

}  // namespace torsor::editor
