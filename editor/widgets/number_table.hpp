#pragma once
// Vectors and matrices with the names and units of their entries, for display and copying.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::editor {

// A function that returns the unit of an entry. row_turns, column_turns: true if the row or column
// is for an angle, false if it is for a length.
using EntryUnit = std::function<std::string(bool row_turns, bool column_turns)>;

struct NumberTable {
  std::string name;    // name of the variable in Lua: "Minv"
  std::string title;   // description
  std::string source;  // solver or frame from which the numbers are, and their axes and order
  EntryUnit entry_unit = nullptr;
  std::vector<std::string> rows{}, columns{};  // names; a vector has one column
  std::vector<bool> row_turns{}, column_turns{};
  std::vector<double> x{};  // in row-major order
  std::string failure{};    // reason why there are no numbers, or ""

  double at(size_t row, size_t column) const { return x[row * columns.size() + column]; }
  std::string unit(size_t row, size_t column) const {
    return entry_unit(row_turns[row], column_turns[column]);
  }
  // Returns the unit of all entries, or "" if units differ.
  std::string common_unit() const;
  // Returns all units, each once: "kg m^2, kg m, kg".
  std::string units() const;
};

// Returns the numbers with 17 digits, preceded by comments that describe them. format is "lua",
// "latex" or "csv". Throws Error for another format, or if the table has no numbers.
std::string as_text(const NumberTable& table, std::string_view format);

}  // namespace torsor::editor
