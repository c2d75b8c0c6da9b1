#include "editor/panels/matrix_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/widgets.hpp"

namespace torsor::editor {

namespace {

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

float text_width(const std::string& text) {
  return ImGui::CalcTextSize(text.c_str()).x;
}
// Of the numbers in cells, which are many: a little smaller than the rest.
float cell_font() {
  return std::round(0.86f * ImGui::GetFontSize());
}
float cell_text_width(const std::string& text) {
  return text_width(text) * cell_font() / ImGui::GetFontSize();
}
float widest(const std::vector<std::string>& texts) {
  float width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

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

void entry_tooltip(const NumberTable& table, size_t i, size_t j) {
  const std::string where =
      table.columns.size() == 1 ? table.rows[i] : fmt::format("{}, {}", table.rows[i], table.columns[j]);
  ImGui::BeginTooltip();
  dim_text(where);
  ImGui::TextUnformatted(fmt::format("{:.9g} {}", table.at(i, j), table.unit(i, j)).c_str());
  ImGui::EndTooltip();
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

std::string NumberFormat::text(double x) const {
  std::string out = fmt::format("{:.{}f}", x * std::pow(10.0, -exponent), decimals);
  const bool zero = out.find_first_not_of("-0.") == std::string::npos;
  return zero && out[0] == '-' ? out.substr(1) : out;
}

std::optional<NumberFormat> number_format(const std::vector<double>& x,
                                          const std::function<bool(const std::string&)>& fits) {
  NumberFormat format;
  const auto [least, greatest] = std::ranges::minmax(x);
  const double most = largest(x);
  if (most > 0 && (most < 1e-2 || most >= 1e5)) format.exponent = 3 * int(std::floor(std::log10(most) / 3));
  const int fewest = most == 0 || most * std::pow(10.0, -format.exponent) >= 100 ? 0 : 1;
  for (format.decimals = most > 0 ? 3 : 0; format.decimals >= fewest; --format.decimals)
    if (fits(format.text(least)) && fits(format.text(greatest))) return format;
  return std::nullopt;
}

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

void draw_bars(const NumberTable& table) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const float height = std::floor(line * 1.35f);
  const float label = std::min(widest(table.rows) + scaled(8), 0.34f * room);
  std::vector<std::string> texts;
  for (size_t i = 0; i < table.rows.size(); ++i) texts.push_back(fmt::format("{:.5g}", table.x[i]));
  const float value = std::min(widest(texts), scaled(110)),
              unit = ImGui::CalcTextSize("rad/s²").x + scaled(8);
  const float width = room - label - value - unit - scaled(8), half = width / 2;
  const double most = largest(table.x), scale = most > 0 ? most : 1;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float y = at.y + (height - line) / 2, zero = at.x + label + half;
    draw.AddText({at.x, y}, color_u32(Shade::dim), shortened(table.rows[i], label - scaled(6)).c_str());
    draw.AddRectFilled({zero - half, at.y + 2}, {zero + half, at.y + height - 2},
                       ImGui::GetColorU32(ImGuiCol_FrameBg, 0.6f));
    const float end = zero + half * float(table.x[i] / scale);
    draw.AddRectFilled({std::min(zero, end), at.y + 2}, {std::max(zero, end), at.y + height - 2},
                       color_u32(table.x[i] > 0 ? Shade::positive : Shade::negative));
    draw.AddLine({zero, at.y}, {zero, at.y + height}, ImGui::GetColorU32(ImGuiCol_Separator));
    const float right = zero + half + scaled(6) + value;
    draw.AddText({right - text_width(texts[i]), y}, ImGui::GetColorU32(ImGuiCol_Text), texts[i].c_str());
    draw.AddText({right + scaled(5), y}, color_u32(Shade::dim), table.unit(i, 0).c_str());
    ImGui::Dummy({room, height - ImGui::GetStyle().ItemSpacing.y});
    if (ImGui::IsItemHovered()) entry_tooltip(table, i, 0);
  }
}

namespace {

// A square of the colour of part k.
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

// Parts of one sign beside each other, from the zero outwards, and where the sum stands.
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

void draw_stacked_bars(const NumberTable& table) {
  draw_legend(table);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const size_t parts = table.columns.size();
  const bool mixed = table.common_unit().empty();
  std::vector<std::string> names;
  for (size_t i = 0; i < table.rows.size(); ++i)
    names.push_back(table.rows[i] + (mixed ? ", " + table.unit(i, 0) : ""));
  const float number =
      std::min(scaled(84), (room - std::min(widest(names) + scaled(4), 0.3f * room)) / float(parts));
  const float label = room - number * float(parts);
  const auto format = number_format(
      table.x, [&](const std::string& text) { return cell_text_width(text) <= number - scaled(5); });
  if (format && format->exponent != 0) dim_text(fmt::format("numbers times 1e{}", format->exponent));
  const double most = largest_stack(table), scale = most > 0 ? most : 1;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw.AddText(at, color_u32(Shade::dim), shortened(names[i], label).c_str());
    for (size_t k = 0; format && k < parts; ++k) {
      const std::string text = format->text(table.at(i, k));
      const ImU32 ink = k + 1 < parts ? ImGui::ColorConvertFloat4ToU32(curve_color(int(k)))
                                      : ImGui::GetColorU32(ImGuiCol_Text);
      const float left = at.x + label + number * float(k + 1) - cell_text_width(text);
      draw.AddText(ImGui::GetFont(), cell_font(), {left, at.y + scaled(1)}, ink, text.c_str());
    }
    const float top = at.y + line + scaled(1), bottom = top + scaled(8);
    draw_stack(table, i, {at.x, top}, {at.x + room, bottom}, scale);
    ImGui::Dummy({room, bottom - at.y + scaled(3)});
    if (!ImGui::IsItemHovered()) continue;
    std::string text = table.rows[i];
    for (size_t k = 0; k < parts; ++k)
      text += fmt::format("\n{}  {:.9g} {}", table.columns[k], table.at(i, k), table.unit(i, k));
    tooltip(text);
  }
}

void draw_log_axis(const std::vector<double>& values, const std::string& unit) {
  const auto [least, most] = std::ranges::minmax(values);
  const double low = std::floor(std::log10(least)), high = std::max(std::ceil(std::log10(most)), low + 1);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float room = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  const float margin = scaled(14), width = room - 2 * margin, bar = scaled(14);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto place = [&](double exponent) {
    return at.x + margin + width * float((exponent - low) / (high - low));
  };
  draw.AddRectFilled({at.x, at.y}, {at.x + room, at.y + bar}, ImGui::GetColorU32(ImGuiCol_FrameBg, 0.6f));
  const int every =
      1 + int((high - low) * 40 * scaled(1) / width);  // decades between names that do not touch
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
  std::string all;
  for (size_t k = 0; k < values.size(); ++k)
    all += fmt::format("{}{:.9g} {}", k == 0 ? "" : "\n", values[k], unit);
  tooltip(all);
}

}  // namespace torsor::editor
