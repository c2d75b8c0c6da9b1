#pragma once
// CSV tables of parameter values: a first line of names, then one line per row. Values are numbers
// or text. A name may be followed by a unit, as in "payload [kg]". A field that contains a comma is
// written in double quotes.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor {

struct TextTable {
  struct Column {
    std::string name, unit;
    std::vector<std::string> values;  // [rows]
  };
  std::vector<Column> columns;
  size_t rows = 0;
};

// Reads a table. name: the name of the file in messages. Throws Error "NAME:LINE: what is wrong" in
// these cases:
// - The file cannot be read, or has no rows.
// - A name is empty or repeated.
// - A row has another number of values than names, or an empty value.
TextTable read_text_table(const std::filesystem::path& file, const std::string& name);

// Returns the column of this name. Throws Error "NAME: ..., did you mean" if there is none.
const TextTable::Column& column_of(const TextTable& table, const std::string& column,
                                   const std::string& name);

}  // namespace torsor
