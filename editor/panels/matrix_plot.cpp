#include "editor/panels/matrix_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/widgets.hpp"
#include "editor/panels/number_cells.hpp"

namespace torsor::editor {

namespace {

ImVec4 mix(const ImVec4& a, const ImVec4& b, float t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), 1};
}
// Zero is neutral; by the root, so that what is a hundredth of the largest is still told from zero.
ImVec4 heat(double part) {
  const ImVec4 neutral = ImGui::GetStyle().Colors[ImGuiCol_FrameBg];
  return mix(neutral, color(part > 0 ? Shade::positive : Shade::negative), float(std::sqrt(std::abs(part))));
}
// Black or white, whichever is read more easily on it.
ImU32 ink_on(const ImVec4& ground) {
  const float light = 0.299f * ground.x + 0.587f * ground.y + 0.114f * ground.z;
  return light > 0.5f ? IM_COL32(16, 20, 26, 255) : IM_COL32(240, 243, 247, 255);
}

// Upwards from its lower left corner. Drawn flat inside the clip rectangle, where ImGui keeps every letter, then turned.
void vertical_text(ImDrawList& draw, ImVec2 at, ImU32 ink, const std::string& text) {
  const ImVec2 flat = draw.GetClipRectMin();
  const int first = draw.VtxBuffer.Size;
  draw.AddText(flat, ink, text.c_str());
  for (int k = first; k < draw.VtxBuffer.Size; ++k) {
    ImVec2& p = draw.VtxBuffer[k].pos;
    p = {at.x + (p.y - flat.y), at.y - (p.x - flat.x)};
  }
}

constexpr float least_cell = 1, widest_cell = 84;  // at scale 1

// Where everything of a heat map stands.
struct Grid {
  size_t rows, columns;
  float label, head;  // width of the rows' names, height of the columns'; 0: they do not fit
  bool upright;       // the columns' names
  ImVec2 cell, at;    // at: upper left corner of the cells
  std::optional<NumberFormat> numbers;  // where they fit

  explicit Grid(const NumberTable& table) : rows(table.rows.size()), columns(table.columns.size()) {
    const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
    label = std::min(widest(table.rows) + scaled(8), 0.3f * room);
    const auto cell_width = [&] {
      return std::clamp((room - label) / float(columns), scaled(least_cell), scaled(widest_cell));
    };
    if (cell_width() < 0.9f * line) label = 0;
    cell.x = std::floor(cell_width());
    numbers = number_format(
        table.x, [&](const std::string& text) { return cell_text_width(text) <= cell.x - scaled(5); });
    cell.y = label > 0 ? std::floor(std::max(line * 1.25f, std::min(cell.x * 0.8f, line * 1.6f))) : cell.x;
    const float names = widest(table.columns);
    upright = names + scaled(6) > cell.x;
    head = label == 0 ? 0 : upright ? std::min(names, scaled(84)) + scaled(6) : line + scaled(4);
    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    at = {std::floor(cursor.x + label), std::floor(cursor.y + head)};
  }

  ImVec2 corner(size_t row, size_t column) const {
    return {at.x + float(column) * cell.x, at.y + float(row) * cell.y};
  }
};

void draw_names(const NumberTable& table, const Grid& grid) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const ImU32 ink = color_u32(Shade::dim);
  for (size_t i = 0; i < grid.rows; ++i) {
    const std::string name = shortened(table.rows[i], grid.label - scaled(6));
    const ImVec2 cell = grid.corner(i, 0);
    draw.AddText({cell.x - scaled(5) - text_width(name), cell.y + (grid.cell.y - line) / 2}, ink,
                 name.c_str());
  }
  for (size_t j = 0; j < grid.columns; ++j) {
    const ImVec2 cell = grid.corner(0, j);
    const std::string& name = table.columns[j];
    if (grid.upright)
      vertical_text(draw, {std::round(cell.x + (grid.cell.x - line) / 2), cell.y - scaled(4)}, ink,
                    shortened(name, grid.head - scaled(6)));
    else
      draw.AddText({cell.x + (grid.cell.x - text_width(name)) / 2, cell.y - line - scaled(2)}, ink,
                   name.c_str());
  }
}

// The colours and the values at their ends.
void draw_scale(double most, const std::string& unit) {
  const std::string low = fmt::format("{:.3g}", -most), high = fmt::format("{:.3g} {}", most, unit);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight(), width = scaled(90);
  dim_text(low);
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  constexpr int steps = 30;
  for (int k = 0; k < steps; ++k) {
    const double part = 2 * (k + 0.5) / steps - 1;
    draw.AddRectFilled({at.x + width * float(k) / steps, at.y + line * 0.2f},
                       {at.x + width * float(k + 1) / steps, at.y + line * 0.85f},
                       ImGui::ColorConvertFloat4ToU32(heat(part)));
  }
  ImGui::Dummy({width, line});
  ImGui::SameLine();
  dim_text(high);
}

}  // namespace

std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked) {
  const Grid grid(table);
  std::optional<Cell> under;
  if (grid.columns == 0) return under;
  const double most = largest(table.x), scale = most > 0 ? most : 1;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (grid.label > 0) draw_names(table, grid);
  const float gap = grid.cell.x > scaled(14) ? 1.0f : 0.0f;
  for (size_t i = 0; i < grid.rows; ++i)
    for (size_t j = 0; j < grid.columns; ++j) {
      const double value = table.at(i, j);
      const ImVec2 from = grid.corner(i, j), to{from.x + grid.cell.x - gap, from.y + grid.cell.y - gap};
      const ImVec4 ground = heat(value / scale);
      draw.AddRectFilled(from, to, ImGui::ColorConvertFloat4ToU32(ground));
      if (!grid.numbers) continue;
      const std::string text = value == 0 ? "0" : grid.numbers->text(value);
      draw.AddText(ImGui::GetFont(), cell_font(),
                   {to.x - scaled(2) - cell_text_width(text), from.y + (grid.cell.y - cell_font()) / 2},
                   value == 0 ? color_u32(Shade::dim) : ink_on(ground), text.c_str());
    }
  const ImVec2 size{float(grid.columns) * grid.cell.x, float(grid.rows) * grid.cell.y};
  ImGui::Dummy({grid.label + size.x, grid.head + size.y});
  const ImVec2 mouse = ImGui::GetMousePos();
  const int i = int(std::floor((mouse.y - grid.at.y) / grid.cell.y));
  const int j = int(std::floor((mouse.x - grid.at.x) / grid.cell.x));
  const auto frame = [&](const Cell& cell) {
    const ImVec2 from = grid.corner(cell.first, cell.second);
    draw.AddRect(from, {from.x + grid.cell.x, from.y + grid.cell.y}, color_u32(Shade::accent), 0, 0,
                 scaled(1.5f));
  };
  if (marked && marked->first < grid.rows && marked->second < grid.columns) frame(*marked);
  if (ImGui::IsItemHovered() && i >= 0 && j >= 0 && i < int(grid.rows) && j < int(grid.columns)) {
    under = Cell(i, j);
    frame(*under);
    entry_tooltip(table, under->first, under->second);
  }
  const bool power_taken = grid.numbers && grid.numbers->exponent != 0;
  const std::string power = power_taken ? fmt::format("; cells times 1e{}", grid.numbers->exponent) : "";
  draw_scale(most, table.common_unit() + power);
  return under;
}

}  // namespace torsor::editor