#pragma once
// Vectors and matrices with the names and units of their entries, as panels show and copy them.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::editor {

// Of the entry in a row and a column that are about an angle, or else about a length.
using EntryUnit = std::function<std::string(bool row_turns, bool column_turns)>;

struct NumberTable {
  std::string name;    // of the variable in a copy: "Minv"
  std::string title;   // what it is
  std::string source;  // solver or frame, and under which conditions
  EntryUnit entry_unit = nullptr;
  std::vector<std::string> rows{}, columns{};  // names; one column: of a vector
  std::vector<bool> row_turns{}, column_turns{};
  std::vector<double> x{};  // by rows
  std::string failure{};    // why there are no numbers, or ""

  double at(size_t row, size_t column) const { return x[row * columns.size() + column]; }
  std::string unit(size_t row, size_t column) const {
    return entry_unit(row_turns[row], column_turns[column]);
  }
  // Of all entries, or "" where they differ.
  std::string common_unit() const;
  // All there are: "kg m^2, kg m, kg".
  std::string units() const;
};

// Numbers with 17 digits, what they are as comments before them. Throws Error for a format other
// than lua, latex and csv.
std::string as_text(const NumberTable& table, std::string_view format);

}  // namespace torsor::editor
