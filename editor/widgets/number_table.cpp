#include "editor/widgets/number_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

// Returns the indices of the first entry for an angle and of the first entry for a length, in
// ascending order.
std::vector<size_t> first_of_each(const std::vector<bool>& turns) {
  std::vector<size_t> out;
  for (const bool wanted : {true, false})
    if (const auto found = std::ranges::find(turns, wanted); found != turns.end())
      out.push_back(size_t(found - turns.begin()));
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::string NumberTable::common_unit() const {
  const std::string all = units();
  return all.find(',') == std::string::npos ? all : "";
}

std::string NumberTable::units() const {
  std::vector<std::string> seen;
  for (const size_t i : first_of_each(row_turns))
    for (const size_t j : first_of_each(column_turns))
      if (std::string one = unit(i, j); std::ranges::find(seen, one) == seen.end())
        seen.push_back(std::move(one));
  return fmt::format("{}", fmt::join(seen, ", "));
}

namespace {

struct Format {
  const char *name, *comment, *begin, *row_begin, *row_end, *last_row_end, *end;
};
constexpr Format formats[] = {
    {"lua", "--", "local {} = {{\n", "  {", "},\n", "},\n", "}\n"},
    {"latex", "%", "\\begin{{pmatrix}}\n", "  ", " \\\\\n", "\n", "\\end{pmatrix}\n"},
    {"csv", "#", "", "", "\n", "\n", ""},
};

std::string units_of(const NumberTable& table) {
  if (const std::string one = table.common_unit(); !one.empty()) return "unit: " + one;
  std::string out = "units:";
  for (size_t i = 0; i < table.rows.size(); ++i) {
    out += i == 0 ? " " : "; ";
    for (size_t j = 0; j < table.columns.size(); ++j)
      out += (j == 0 ? "" : ", ") + table.unit(i, j);
  }
  return out;
}

std::string number(double x, const Format& format) {
  std::string text = fmt::format("{:.17g}", x);
  if (std::string_view(format.name) != "latex") return text;
  const size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return fmt::format("{} \\times 10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

}  // namespace

std::string as_text(const NumberTable& table, std::string_view wanted) {
  const auto* format =
      std::ranges::find_if(formats, [&](const Format& f) { return f.name == wanted; });
  if (format == std::end(formats))
    throw Error(fmt::format("there is no format '{}'; use lua, latex or csv", wanted));
  if (!table.failure.empty()) throw Error("nothing to copy: " + table.failure);
  const bool latex = wanted == "latex", vector = table.columns.size() == 1;
  std::string out =
      fmt::format("{0} {1}{2}{3}\n{0} rows: {4}\n", format->comment, table.title,
                  table.source.empty() ? "" : "; ", table.source, fmt::join(table.rows, ", "));
  if (!vector)
    out += fmt::format("{} columns: {}\n", format->comment, fmt::join(table.columns, ", "));
  out += fmt::format("{} {}\n", format->comment, units_of(table));
  out += fmt::format(fmt::runtime(format->begin), table.name);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const bool plain = vector && wanted == "lua";  // in Lua, a vector is a list of numbers
    out += plain ? "  " : format->row_begin;
    for (size_t j = 0; j < table.columns.size(); ++j)
      out += (j == 0 ? "" : latex ? " & " : ", ") + number(table.at(i, j), *format);
    out += plain ? ",\n" : i + 1 == table.rows.size() ? format->last_row_end : format->row_end;
  }
  return out + format->end;
}

}  // namespace torsor::editor
