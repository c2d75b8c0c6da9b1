#include "editor/plot/plot.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>  // SetItemUsingMouseWheel

#include <algorithm>
#include <cmath>

#include "editor/plot/plot_parts.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

void draw_marks(ImDrawList* draw, const Plot& plot) {
  const auto line = [&](double time, ImU32 ink, float width) {
    const float x = std::round(plot.time.pixel(time));
    draw->AddLine({x, plot.value.end}, {x, plot.value.begin}, ink, width);
  };
  for (const double time : plot.edits) line(time, color_u32(Shade::warning, 0.6f), 1);
  line(plot.present, ImGui::GetColorU32(ImGuiCol_Text, 0.55f),
       std::max(1.0f, std::floor(scaled(1.5f))));
  if (plot.cursor) line(*plot.cursor, color_u32(Shade::accent), 1);
  if (!plot.measured) return;
  const auto [a, b] = *plot.measured;
  draw->AddRectFilled({plot.time.pixel(a), plot.value.end}, {plot.time.pixel(b), plot.value.begin},
                      color_u32(Shade::good, 0.12f));
  for (const auto& [time, name] : {std::pair{a, "A"}, {b, "B"}}) {
    line(time, color_u32(Shade::good), std::max(1.0f, std::floor(scaled(1.5f))));
    draw->AddText(
        {plot.time.pixel(time) + scaled(3), plot.value.begin - ImGui::GetFontSize() - scaled(2)},
        color_u32(Shade::good), name);
  }
}

// Draws the time of the cursor on the time axis, over its labels.
void draw_cursor_tag(ImDrawList* draw, const Plot& plot) {
  if (!plot.cursor || !plot.time_labels) return;
  const float at = plot.time.pixel(*plot.cursor);
  if (at < plot.time.begin || at > plot.time.end) return;
  const std::string text = fmt::format("{:.6g} s", *plot.cursor);
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  const float pad = scaled(4);
  const float x = std::clamp(at - size.x / 2, plot.time.begin,
                             std::max(plot.time.begin, plot.time.end - size.x));
  const float y = plot.value.begin + scaled(2);
  draw->AddRectFilled({x - pad, y - scaled(1)}, {x + size.x + pad, y + size.y + scaled(1)},
                      ImGui::GetColorU32(ImGuiCol_PopupBg), scaled(3));
  draw->AddRect({x - pad, y - scaled(1)}, {x + size.x + pad, y + size.y + scaled(1)},
                color_u32(Shade::accent), scaled(3));
  draw->AddText({x, y}, ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
}

}  // namespace

float value_label_width(const Ticks& ticks, const char* unit) {
  float width = ImGui::CalcTextSize(unit_label(unit).c_str()).x;
  for (const double value : ticks.values)
    width = std::max(width, ImGui::CalcTextSize(ticks.label(value).c_str()).x);
  return width + scaled(8);
}

float time_label_height() {
  return ImGui::GetFontSize() + scaled(5);
}

int time_tick_room(float pixels) {
  return std::max(2, int(pixels / scaled(64)));
}

int value_tick_room(float pixels) {
  return std::max(3, int(pixels / scaled(22)));
}

PlotGesture draw_plot(const char* id, const Plot& plot) {
  ImDrawList* draw = begin_diagram(id, plot);
  for (const PlotArea& area : plot.areas) draw_area(draw, plot, area);
  const int width = curve_width();
  for (size_t k = 0; k < plot.curves.size(); ++k)
    if (int(k) != plot.strong)
      draw_curve(draw, plot, plot.curves[k], plot.strong < 0 ? 1 : 0.3f, width);
  if (plot.strong >= 0) draw_curve(draw, plot, plot.curves[size_t(plot.strong)], 1, width + 1);
  draw_marks(draw, plot);
  const PlotGesture gesture = gesture_of(draw, plot);
  draw->PopClipRect();
  draw_cursor_tag(draw, plot);
  return gesture;
}

}  // namespace torsor::editor
