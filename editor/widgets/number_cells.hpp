#pragma once
// How the numbers of a table are written beside each other.

#include <functional>
#include <optional>

#include "editor/widgets/number_table.hpp"

namespace torsor::editor {

struct NumberFormat {
  int exponent = 0;  // of ten, taken out of all
  int decimals = 0;

  std::string text(double x) const;
};
// With as many decimals as fit, three at most; nothing where not even two or three digits of the
// largest do. x is not empty.
std::optional<NumberFormat> number_format(const std::vector<double>& x,
                                          const std::function<bool(const std::string&)>& fits);

double largest(const std::vector<double>& x);  // by its absolute value

float text_width(const std::string& text);
float widest(const std::vector<std::string>& texts);
// Of the numbers in cells, which are many: a little smaller than the rest.
float cell_font();
float cell_text_width(const std::string& text);

// Names, value and unit of an entry.
void entry_tooltip(const NumberTable& table, size_t i, size_t j);

}  // namespace torsor::editor
