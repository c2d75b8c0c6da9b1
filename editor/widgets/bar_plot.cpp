#include "editor/widgets/bar_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/widgets/number_cells.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Widths in pixels of the columns of a table of bars (name, bar, value, unit), and the height of a
// row.
struct BarColumns {
  // half: half of the width of the column of bars.
  float label, half, value, height;

  explicit BarColumns(const NumberTable& table) {
    const float room = ImGui::GetContentRegionAvail().x;
    height = std::floor(ImGui::GetTextLineHeight() * 1.35f);
    label = std::min(widest(table.rows) + scaled(8), 0.34f * room);
    value = text_width("-0.00012345");  // the longest number with five digits
    const float unit = text_width("rad/s^2") + scaled(8);
    half = (room - label - value - unit - scaled(8)) / 2;
  }
};

void draw_bar(const NumberTable& table, size_t i, const BarColumns& columns, double scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const float height = columns.height;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y + (height - line) / 2, zero = at.x + columns.label + columns.half;
  draw.AddText({at.x, y}, color_u32(Shade::dim),
               shortened(table.rows[i], columns.label - scaled(6)).c_str());
  draw.AddRectFilled({zero - columns.half, at.y + 2}, {zero + columns.half, at.y + height - 2},
                     ImGui::GetColorU32(ImGuiCol_FrameBg, 0.6f));
  const float end = zero + columns.half * float(table.x[i] / scale);
  draw.AddRectFilled({std::min(zero, end), at.y + 2}, {std::max(zero, end), at.y + height - 2},
                     color_u32(table.x[i] > 0 ? Shade::positive : Shade::negative));
  draw.AddLine({zero, at.y}, {zero, at.y + height}, ImGui::GetColorU32(ImGuiCol_Separator));
  const float right = zero + columns.half + scaled(6) + columns.value;
  const std::string text = fmt::format("{:.5g}", table.x[i]);
  draw.AddText({right - text_width(text), y}, ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
  draw.AddText({right + scaled(5), y}, color_u32(Shade::dim), table.unit(i, 0).c_str());
  ImGui::Dummy({room, height - ImGui::GetStyle().ItemSpacing.y});
  if (ImGui::IsItemHovered()) entry_tooltip(table, i, 0);
}

// Calls draw(i) for each visible row i. height is the height of a row with its spacing, in pixels.
template <class Draw>
void draw_visible_rows(size_t rows, float height, const Draw& draw) {
  ImGuiListClipper clipper;
  clipper.Begin(int(rows), height);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw(size_t(i));
}

}  // namespace

void draw_bars(const NumberTable& table) {
  const BarColumns columns(table);
  const double most = largest(table.x), scale = most > 0 ? most : 1;
  draw_visible_rows(table.rows.size(), columns.height,
                    [&](size_t i) { draw_bar(table, i, columns, scale); });
}

namespace {

// Draws a square in the colour of column k.
void draw_swatch(size_t k) {
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 0.2f * line},
                                            {at.x + 0.65f * line, at.y + 0.85f * line},
                                            ImGui::ColorConvertFloat4ToU32(curve_color(int(k))));
  ImGui::Dummy({0.65f * line, line});
}

void draw_legend(const NumberTable& table) {
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  for (size_t k = 0; k < table.columns.size(); ++k) {
    const std::string& name = table.columns[k];
    const bool sum = k + 1 == table.columns.size();
    const std::string shown = sum ? "| " + name : name;
    if (k > 0) {
      ImGui::SameLine(0, scaled(7));
      if (ImGui::GetCursorPosX() + text_width(shown) + scaled(16) > right) ImGui::NewLine();
    }
    if (!sum) {
      draw_swatch(k);
      ImGui::SameLine(0, scaled(4));
    }
    dim_text(shown);
  }
}

// Draws a stacked bar: positive parts to the right of zero, negative parts to the left, and a mark
// at their sum.
void draw_stack(const NumberTable& table, size_t row, ImVec2 from, ImVec2 to, double scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(from, to, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.6f));
  const size_t sum = table.columns.size() - 1;
  const float zero = (from.x + to.x) / 2, half = (to.x - from.x) / 2;
  float end[2] = {zero, zero};
  for (size_t k = 0; k < sum; ++k) {
    const double part = table.at(row, k);
    float& at = end[part > 0];
    const float next = at + half * float(part / scale);
    draw.AddRectFilled({std::min(at, next), from.y}, {std::max(at, next), to.y},
                       ImGui::ColorConvertFloat4ToU32(curve_color(int(k))));
    at = next;
  }
  draw.AddLine({zero, from.y - 2}, {zero, to.y + 2}, ImGui::GetColorU32(ImGuiCol_Separator));
  const float x = zero + half * float(table.at(row, sum) / scale);
  draw.AddLine({x, from.y - 2}, {x, to.y + 2}, ImGui::GetColorU32(ImGuiCol_Text), scaled(2));
}

double largest_stack(const NumberTable& table) {
  double most = 0;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    double side[2] = {0, 0};
    for (size_t k = 0; k + 1 < table.columns.size(); ++k)
      side[table.at(i, k) > 0] += std::abs(table.at(i, k));
    most = std::max({most, side[0], side[1]});
  }
  return most;
}

}  // namespace

namespace {

// The layout of a table of stacked bars. The numbers of a row are above its bar.
struct StackColumns {
  float label, number;  // widths of the columns in pixels
  bool mixed;           // true if units differ; the names then include the unit
  std::optional<NumberFormat> format;

  explicit StackColumns(const NumberTable& table) {
    const float room = ImGui::GetContentRegionAvail().x;
    const auto parts = float(table.columns.size());
    mixed = table.common_unit().empty();
    const float names = widest(table.rows) + (mixed ? text_width(", N m") : 0) + scaled(4);
    number = std::min(scaled(84), (room - std::min(names, 0.3f * room)) / parts);
    label = room - number * parts;
    format = number_format(table.x, [&](const std::string& text) {
      return cell_text_width(text) <= number - scaled(5);
    });
  }
};

void stack_tooltip(const NumberTable& table, size_t i) {
  if (!ImGui::IsItemHovered()) return;
  std::string text = table.rows[i];
  for (size_t k = 0; k < table.columns.size(); ++k)
    text += fmt::format("\n{}  {:.9g} {}", table.columns[k], table.at(i, k), table.unit(i, k));
  tooltip(text);
}

void draw_stacked_row(const NumberTable& table, size_t i, const StackColumns& columns,
                      double scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const size_t parts = table.columns.size();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string name = table.rows[i] + (columns.mixed ? ", " + table.unit(i, 0) : "");
  draw.AddText(at, color_u32(Shade::dim), shortened(name, columns.label).c_str());
  for (size_t k = 0; columns.format && k < parts; ++k) {
    const std::string text = columns.format->text(table.at(i, k));
    const ImU32 ink = k + 1 < parts ? ImGui::ColorConvertFloat4ToU32(curve_color(int(k)))
                                    : ImGui::GetColorU32(ImGuiCol_Text);
    const float left = at.x + columns.label + columns.number * float(k + 1) - cell_text_width(text);
    draw.AddText(ImGui::GetFont(), cell_font(), {left, at.y + scaled(1)}, ink, text.c_str());
  }
  const float top = at.y + line + scaled(1), bottom = top + scaled(8);
  draw_stack(table, i, {at.x, top}, {at.x + room, bottom}, scale);
  ImGui::Dummy({room, bottom - at.y + scaled(3)});
  stack_tooltip(table, i);
}

}  // namespace

void draw_stacked_bars(const NumberTable& table) {
  draw_legend(table);
  const StackColumns columns(table);
  if (columns.format && columns.format->exponent != 0)
    dim_text(fmt::format("numbers times 1e{}", columns.format->exponent));
  const double most = largest_stack(table), scale = most > 0 ? most : 1;
  const float height = ImGui::GetTextLineHeight() + scaled(12) + ImGui::GetStyle().ItemSpacing.y;
  draw_visible_rows(table.rows.size(), height,
                    [&](size_t i) { draw_stacked_row(table, i, columns, scale); });
}

void draw_log_axis(const std::vector<double>& values, const std::string& unit) {
  const auto [least, most] = std::ranges::minmax(values);
  const double low = std::floor(std::log10(least)),
               high = std::max(std::ceil(std::log10(most)), low + 1);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const float margin = scaled(14), width = room - 2 * margin, bar = scaled(14);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto place = [&](double exponent) {
    return at.x + margin + width * float((exponent - low) / (high - low));
  };
  draw.AddRectFilled({at.x, at.y}, {at.x + room, at.y + bar},
                     ImGui::GetColorU32(ImGuiCol_FrameBg, 0.6f));
  // Number of decades between labels, so that labels do not overlap.
  const int every = 1 + int((high - low) * 40 * scaled(1) / width);
  for (int k = 0; low + k <= high; ++k) {
    const float x = place(low + k);
    draw.AddLine({x, at.y}, {x, at.y + bar}, ImGui::GetColorU32(ImGuiCol_Separator));
    if (k % every != 0) continue;
    const std::string name = fmt::format("1e{}", int(low) + k);
    draw.AddText({x - text_width(name) / 2, at.y + bar + 1}, color_u32(Shade::dim), name.c_str());
  }
  for (const double value : values) {
    const float x = place(std::log10(value));
    draw.AddLine({x, at.y + 1}, {x, at.y + bar - 1}, color_u32(Shade::accent), scaled(2));
  }
  ImGui::Dummy({room, bar + line + 1});
  if (!ImGui::IsItemHovered()) return;
  constexpr size_t most_lines = 24;
  std::string all;
  for (size_t k = 0; k < std::min(values.size(), most_lines); ++k)
    all += fmt::format("{}{:.9g} {}", k == 0 ? "" : "\n", values[k], unit);
  if (values.size() > most_lines) all += fmt::format("\nand {} more", values.size() - most_lines);
  tooltip(all);
}

}  // namespace torsor::editor
