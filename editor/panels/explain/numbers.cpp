#include "editor/panels/explain/numbers.hpp"

#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "editor/panels/dynamics/equation.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Returns a number with as many significant digits as fit, from one to four. Magnitudes below 1e-12
// are shown as 0.
std::string number_text(double x, float room) {
  const double shown = std::abs(x) < 1e-12 ? 0 : x;
  std::string text;
  for (int digits = 4; digits > 0; --digits) {
    text = fmt::format("{:.{}g}", shown, digits);
    if (ImGui::CalcTextSize(text.c_str()).x <= room) break;
  }
  return text;
}

// Draws the numbers of a line, right-aligned in columns.
void draw_numbers(std::span<const double> x, float cell) {
  const float left = ImGui::GetCursorPosX();
  for (size_t k = 0; k < x.size(); ++k) {
    const std::string text = number_text(x[k], cell - scaled(5));
    if (k > 0) ImGui::SameLine();
    ImGui::SetCursorPosX(left + float(k + 1) * cell - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::TextUnformatted(text.c_str());
    if (ImGui::IsItemHovered()) tooltip(fmt::format("{:.9g}", x[k]));
  }
}

// Returns the number of entries in each line. A matrix has a line per row. A six-vector has two
// lines. The inertia of a body has a line for m, a line for h and two lines for the six entries of
// I.
std::vector<size_t> line_lengths(const TracedValue& value) {
  if (value.rows > 1) return std::vector<size_t>(size_t(value.rows), size_t(value.columns));
  if (value.columns == 6) return {3, 3};
  if (value.columns == 10) return {1, 3, 3, 3};
  return {size_t(value.columns)};
}

// Returns the unit of each line: "N m, N" of a wrench is split into "N m" and "N".
std::vector<std::string> line_units(const TracedValue& value) {
  std::vector<std::string> out;
  const std::string units = value.unit.substr(0, value.unit.find(" ("));
  for (size_t begin = 0; begin <= units.size();) {
    const size_t end = std::min(units.find(", ", begin), units.size());
    out.push_back(units.substr(begin, end - begin));
    begin = end + 2;
  }
  return out;
}

void right_dim_text(const std::string& text) {
  ImGui::SameLine();
  const float width = ImGui::CalcTextSize(text.c_str()).x, room = ImGui::GetContentRegionAvail().x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  dim_text(text);
}

}  // namespace

void draw_traced_value(const TracedValue& value) {
  draw_equation(value.symbol);
  ImGui::SameLine();
  const std::string in =
      value.frame.empty() || value.frame == value.of ? "" : ", in " + value.frame;
  dim_text(fmt::format("{}{}", value.of, in));
  const std::vector<size_t> lines = line_lengths(value);
  const std::vector<std::string> units = line_units(value);
  const bool of_lines = value.rows == 1 && units.size() > 1;
  if (!of_lines) right_dim_text(fmt::format("{}", fmt::join(units, ", ")));
  const size_t most = *std::max_element(lines.begin(), lines.end());
  float room = ImGui::GetContentRegionAvail().x;
  if (of_lines)
    for (const std::string& unit : units)
      room = std::min(room, ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(unit.c_str()).x);
  const float cell = std::min(scaled(74), room / float(most));
  size_t from = 0;
  for (size_t k = 0; k < lines.size(); ++k) {
    draw_numbers(std::span(value.x).subspan(from, lines[k]), cell);
    if (of_lines) right_dim_text(units[std::min(k, units.size() - 1)]);
    from += lines[k];
  }
}

}  // namespace torsor::editor
