#include "torsor/study/sampling/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/csv_fields.hpp"

namespace torsor {

namespace {

[[noreturn]] void fail_at_line(const std::string& name, size_t line, const std::string& what) {
  throw Error(fmt::format("{}:{}: {}", name, line, what));
}

std::string without_blanks(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields = csv_fields(line);
  for (std::string& field : fields) field = without_blanks(field);
  return fields;
}

TextTable::Column head_of(const std::string& field) {
  const size_t bracket = field.find('[');
  if (bracket == std::string::npos || !field.ends_with(']')) return {field, "", {}};
  return {without_blanks(field.substr(0, bracket)),
          field.substr(bracket + 1, field.size() - bracket - 2),
          {}};
}

void add_head(const std::string& line, const std::string& name, size_t number, TextTable& out) {
  for (const std::string& field : fields_of(line)) {
    TextTable::Column column = head_of(field);
    if (column.name.empty()) fail_at_line(name, number, "a name in the first line is empty");
    if (std::ranges::count(out.columns, column.name, &TextTable::Column::name) > 0)
      fail_at_line(name, number, fmt::format("the name '{}' is repeated", quotable(column.name)));
    out.columns.push_back(std::move(column));
  }
}

void add_row(const std::string& line, const std::string& name, size_t number, TextTable& out) {
  std::vector<std::string> fields = fields_of(line);
  if (fields.size() != out.columns.size())
    fail_at_line(name, number,
                 fmt::format("this row has {}, and the first line has {}",
                             counted(fields.size(), "value"), counted(out.columns.size(), "name")));
  for (size_t k = 0; k < fields.size(); ++k) {
    if (fields[k].empty() || !is_plain_text(fields[k]))
      fail_at_line(name, number,
                   fmt::format("the value of '{}' is {}", quotable(out.columns[k].name),
                               fields[k].empty() ? "empty" : "not plain text"));
    out.columns[k].values.push_back(std::move(fields[k]));
  }
  ++out.rows;
}

}  // namespace

TextTable read_text_table(const std::filesystem::path& file, const std::string& name) {
  InputLines lines(file, InputKind::table, "give a CSV table of parameter values");
  TextTable out;
  std::string line;
  for (size_t number = 1; lines.next(line); ++number) {
    reserve_memory(fmt::format("the rows of {}", name), 2 * double(line.size()) + 64);
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    if (without_blanks(line).empty()) continue;
    out.columns.empty() ? add_head(line, name, number, out) : add_row(line, name, number, out);
  }
  if (out.rows == 0)
    throw Error(
        fmt::format("{}: the table has no rows; write a line of names, then the rows", name));
  return out;
}

const TextTable::Column& column_of(const TextTable& table, const std::string& column,
                                   const std::string& name) {
  const auto found = std::ranges::find(table.columns, column, &TextTable::Column::name);
  if (found != table.columns.end()) return *found;
  std::vector<std::string> names;
  for (const auto& each : table.columns) names.push_back(each.name);
  throw Error(fmt::format("{} has no column '{}'; its columns are: {}{}", name, quotable(column),
                          fmt::join(names, ", "), did_you_mean(column, names)));
}

}  // namespace torsor
