#include "editor/widgets/matrix_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/widgets/number_cells.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

ImVec4 mix(const ImVec4& a, const ImVec4& b, float t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), 1};
}
// Returns the colour of a value in [-1, 1], relative to the maximum. Zero has the neutral colour.
// Because of the square root, 0.01 is distinguishable from zero.
ImVec4 heat(double part) {
  const ImVec4 neutral = ImGui::GetStyle().Colors[ImGuiCol_FrameBg];
  return mix(neutral, color(part > 0 ? Shade::positive : Shade::negative),
             float(std::sqrt(std::abs(part))));
}
// Returns a dark or a light colour for text on a background.
ImU32 ink_on(const ImVec4& ground) {
  const float light = 0.299f * ground.x + 0.587f * ground.y + 0.114f * ground.z;
  return light > 0.5f ? IM_COL32(16, 20, 26, 255) : IM_COL32(240, 243, 247, 255);
}

// Draws text upwards from its lower left corner. ImGui omits letters outside of the clip rectangle.
// Therefore the text is first drawn horizontally at a corner of this rectangle, and its vertices
// are then rotated.
void vertical_text(ImDrawList& draw, ImVec2 at, ImU32 ink, const std::string& text) {
  const ImVec2 flat = draw.GetClipRectMin();
  const int first = draw.VtxBuffer.Size;
  draw.AddText(flat, ink, text.c_str());
  for (int k = first; k < draw.VtxBuffer.Size; ++k) {
    ImVec2& p = draw.VtxBuffer[k].pos;
    p = {at.x + (p.y - flat.y), at.y - (p.x - flat.x)};
  }
}

constexpr float least_tile = 3, widest_cell = 84;  // at scale 1

// The layout of a heat map. A tile shows one entry. In a large matrix, a tile shows the largest
// entry of a square block.
struct Grid {
  size_t each;           // number of rows and columns of entries per tile
  size_t rows, columns;  // number of tiles
  // Width of the row names and height of the column names; 0: they do not fit.
  float label, head;
  bool upright;     // true: the column names are vertical
  ImVec2 cell, at;  // size of a tile, and upper left corner of the first tile
  // Format of the numbers. none: they do not fit.
  std::optional<NumberFormat> numbers;

  explicit Grid(const NumberTable& table) {
    const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
    const size_t n = table.columns.size();
    label = std::min(widest(table.rows) + scaled(8), 0.3f * room);
    if ((room - label) / float(n) < 0.9f * line) label = 0;
    const float whole = std::min((room - label) / float(n), scaled(widest_cell));
    each = whole >= scaled(least_tile)
               ? 1
               : size_t(std::ceil(scaled(least_tile) / std::max(whole, 1e-3f)));
    rows = (table.rows.size() + each - 1) / each;
    columns = (n + each - 1) / each;
    cell.x =
        std::max(1.0f, std::floor(std::min((room - label) / float(columns), scaled(widest_cell))));
    numbers = each > 1 ? std::nullopt : number_format(table.x, [&](const std::string& text) {
      return cell_text_width(text) <= cell.x - scaled(5);
    });
    cell.y = label > 0 ? std::floor(std::max(line * 1.25f, std::min(cell.x * 0.8f, line * 1.6f)))
                       : cell.x;
    const float names = label > 0 ? widest(table.columns) : 0;
    upright = names + scaled(6) > cell.x;
    head = label == 0 ? 0 : upright ? std::min(names, scaled(84)) + scaled(6) : line + scaled(4);
    const ImVec2 cursor = ImGui::GetCursorScreenPos();
    at = {std::floor(cursor.x + label), std::floor(cursor.y + head)};
  }

  ImVec2 corner(size_t row, size_t column) const {
    return {at.x + float(column) * cell.x, at.y + float(row) * cell.y};
  }
  // Returns the entry that a tile shows: the largest by magnitude.
  Cell entry(const NumberTable& table, size_t row, size_t column) const {
    Cell out{row * each, column * each};
    for (size_t i = row * each; i < std::min((row + 1) * each, table.rows.size()); ++i)
      for (size_t j = column * each; j < std::min((column + 1) * each, table.columns.size()); ++j)
        if (std::abs(table.at(i, j)) > std::abs(table.at(out.row, out.column))) out = {i, j};
    return out;
  }
};

// A range of rows or columns of tiles: [begin, end).
struct TileRange {
  size_t begin, end;
};
// Returns the tiles between the pixels low and high. first is the pixel of the first of `count`
// tiles.
TileRange visible_tiles(float first, float size, size_t count, float low, float high) {
  const float begin = std::floor((low - first) / size), end = std::ceil((high - first) / size);
  const auto index = [&](float k) { return size_t(std::clamp(k, 0.0f, float(count))); };
  return {index(begin), index(end)};
}
struct VisibleTiles {
  TileRange rows, columns;

  explicit VisibleTiles(const Grid& grid) {
    const ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 low = draw.GetClipRectMin(), high = draw.GetClipRectMax();
    rows = visible_tiles(grid.at.y, grid.cell.y, grid.rows, low.y, high.y);
    columns = visible_tiles(grid.at.x, grid.cell.x, grid.columns, low.x, high.x);
  }
};

void draw_names(const NumberTable& table, const Grid& grid, const VisibleTiles& visible) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const ImU32 ink = color_u32(Shade::dim);
  for (size_t i = visible.rows.begin; i < visible.rows.end; ++i) {
    const std::string name = shortened(table.rows[i], grid.label - scaled(6));
    const ImVec2 cell = grid.corner(i, 0);
    draw.AddText({cell.x - scaled(5) - text_width(name), cell.y + (grid.cell.y - line) / 2}, ink,
                 name.c_str());
  }
  for (size_t j = visible.columns.begin; j < visible.columns.end; ++j) {
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

// Draws the colour scale with the values at its ends, -most and most.
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

namespace {

void draw_tiles(const NumberTable& table, const Grid& grid, const VisibleTiles& visible,
                double scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = grid.cell.x > scaled(14) ? 1.0f : 0.0f;
  for (size_t i = visible.rows.begin; i < visible.rows.end; ++i)
    for (size_t j = visible.columns.begin; j < visible.columns.end; ++j) {
      const Cell entry = grid.entry(table, i, j);
      const double value = table.at(entry.row, entry.column);
      const ImVec2 from = grid.corner(i, j),
                   to{from.x + grid.cell.x - gap, from.y + grid.cell.y - gap};
      const ImVec4 ground = heat(value / scale);
      draw.AddRectFilled(from, to, ImGui::ColorConvertFloat4ToU32(ground));
      if (!grid.numbers) continue;
      const std::string text = value == 0 ? "0" : grid.numbers->text(value);
      draw.AddText(
          ImGui::GetFont(), cell_font(),
          {to.x - scaled(2) - cell_text_width(text), from.y + (grid.cell.y - cell_font()) / 2},
          value == 0 ? color_u32(Shade::dim) : ink_on(ground), text.c_str());
    }
}

void frame_tile(const Grid& grid, size_t row, size_t column) {
  const ImVec2 from = grid.corner(row, column);
  ImGui::GetWindowDrawList()->AddRect(from, {from.x + grid.cell.x, from.y + grid.cell.y},
                                      color_u32(Shade::accent), 0, 0, scaled(1.5f));
}

std::string scale_note(const NumberTable& table, const Grid& grid) {
  std::string out = table.common_unit();
  if (grid.numbers && grid.numbers->exponent != 0)
    out += fmt::format("; cells times 1e{}", grid.numbers->exponent);
  if (grid.each > 1) out += fmt::format("; each cell: largest of {0} x {0}", grid.each);
  return out;
}

}  // namespace

std::optional<Cell> draw_heat_map(const NumberTable& table, const std::optional<Cell>& marked) {
  std::optional<Cell> under;
  if (table.columns.empty()) return under;
  const Grid grid(table);
  const VisibleTiles visible(grid);
  const double most = largest(table.x);
  if (grid.label > 0) draw_names(table, grid, visible);
  draw_tiles(table, grid, visible, most > 0 ? most : 1);
  const ImVec2 size{float(grid.columns) * grid.cell.x, float(grid.rows) * grid.cell.y};
  ImGui::Dummy({grid.label + size.x, grid.head + size.y});
  const ImVec2 mouse = ImGui::GetMousePos();
  const int i = int(std::floor((mouse.y - grid.at.y) / grid.cell.y));
  const int j = int(std::floor((mouse.x - grid.at.x) / grid.cell.x));
  if (marked && marked->row < table.rows.size() && marked->column < table.columns.size())
    frame_tile(grid, marked->row / grid.each, marked->column / grid.each);
  if (ImGui::IsItemHovered() && i >= 0 && j >= 0 && i < int(grid.rows) && j < int(grid.columns)) {
    under = grid.entry(table, size_t(i), size_t(j));
    frame_tile(grid, size_t(i), size_t(j));
    entry_tooltip(table, under->row, under->column);
  }
  draw_scale(most, scale_note(table, grid));
  return under;
}

}  // namespace torsor::editor
