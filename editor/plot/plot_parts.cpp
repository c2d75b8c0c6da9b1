#include "editor/plot/plot_parts.hpp"

#include <fmt/format.h>
#include <imgui_internal.h>  // ImDrawListSharedData

#include <algorithm>
#include <cmath>

#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

ImVec2 top_left(const Plot& plot) {
  return {plot.time.begin, plot.value.end};
}
ImVec2 bottom_right(const Plot& plot) {
  return {plot.time.end, plot.value.begin};
}

// Draws each line segment as a separate quad with antialiased edges from ImGui's texture. Polylines
// of ImGui have spikes where a curve goes up and down within a pixel.
void draw_pieces(ImDrawList* draw, std::span<const ImVec2> points, ImU32 ink, int width) {
  const ImVec4 uv = ImGui::GetIO().Fonts->TexUvLines[width];
  const float half = float(width) / 2 + 1;
  // Maximum number of quads per reservation. Indices have 16 bits.
  constexpr size_t most = 4096;
  for (size_t first = 0; first + 1 < points.size(); first += most) {
    const size_t last = std::min(points.size() - 1, first + most);
    const int pieces = int(last - first);
    draw->PrimReserve(6 * pieces, 4 * pieces);
    for (size_t i = first; i < last; ++i) {
      const ImVec2 a = points[i], b = points[i + 1];
      const float dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
      const float nx = length > 0 ? -dy / length * half : half,
                  ny = length > 0 ? dx / length * half : 0;
      const auto base = ImDrawIdx(draw->_VtxCurrentIdx);
      for (const int k : {0, 1, 2, 0, 2, 3}) draw->PrimWriteIdx(ImDrawIdx(base + k));
      draw->PrimWriteVtx({a.x + nx, a.y + ny}, {uv.x, uv.y}, ink);
      draw->PrimWriteVtx({b.x + nx, b.y + ny}, {uv.x, uv.y}, ink);
      draw->PrimWriteVtx({b.x - nx, b.y - ny}, {uv.z, uv.w}, ink);
      draw->PrimWriteVtx({a.x - nx, a.y - ny}, {uv.z, uv.w}, ink);
    }
  }
}

namespace {

// Draws a line through points with ascending x, with as few segments as possible, and clears `run`.
// A segment is extended while one slope is within `close` pixels of all points in between.
void draw_run(ImDrawList* draw, std::vector<ImVec2>& run, ImU32 ink, int width) {
  constexpr float close = 0.25f;
  if (run.size() == 1) draw->AddCircleFilled(run[0], float(width) + 1, ink);
  size_t kept = 0;  // run[0] to run[kept] are the ends of the segments so far
  float low = -INFINITY, high = INFINITY;
  for (size_t i = 1; i < run.size(); ++i) {
    const ImVec2 from = run[kept], to = run[i];
    const float dx = std::max(to.x - from.x, 1e-6f), slope = (to.y - from.y) / dx;
    if (slope < low || slope > high) {
      run[++kept] = run[i - 1];
      low = -INFINITY;
      high = INFINITY;
      --i;  // test the point again, from the new start
      continue;
    }
    low = std::max(low, slope - close / dx);
    high = std::min(high, slope + close / dx);
  }
  if (run.size() > 1) {
    run[kept + 1] = run.back();
    draw_pieces(draw, std::span(run).first(kept + 2), ink, width);
  }
  run.clear();
}

}  // namespace

void draw_curve(ImDrawList* draw, const Plot& plot, const PlotCurve& curve, float alpha,
                int width) {
  ImVec4 color = curve.color;
  color.w *= alpha;
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(color);
  // Points since the last break. static, to reuse the memory.
  static std::vector<ImVec2> run;
  for (const PlotPoint& point : curve.line.points) {
    if (std::isnan(point.value))
      draw_run(draw, run, ink, width);
    else
      run.push_back({plot.time.pixel(point.time), plot.value.pixel(point.value)});
  }
  draw_run(draw, run, ink, width);
  const float mark = scaled(4);
  // Infinite values are triangles at the edge of the diagram.
  for (const PlotPoint& point : curve.line.infinite) {
    const float x = plot.time.pixel(point.time);
    const float y = point.value > 0 ? plot.value.end : plot.value.begin,
                inward = point.value > 0 ? mark : -mark;
    draw->AddTriangleFilled({x - mark / 2, y + inward}, {x + mark / 2, y + inward}, {x, y}, ink);
  }
}

void draw_area(ImDrawList* draw, const Plot& plot, const PlotArea& area) {
  ImVec4 color = area.color;
  color.w *= 0.75f;
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(color);
  const ImVec2 uv = ImGui::GetDrawListSharedData()->TexUvWhitePixel;
  const std::vector<StackBand>& bands = area.bands;
  constexpr size_t most = 4096;  // as in draw_pieces()
  for (size_t first = 0; first + 1 < bands.size(); first += most) {
    const size_t last = std::min(bands.size() - 1, first + most);
    draw->PrimReserve(6 * int(last - first), 4 * int(last - first));
    for (size_t i = first; i < last; ++i) {
      const StackBand &a = bands[i], &b = bands[i + 1];
      const float left = plot.time.pixel(a.time), right = plot.time.pixel(b.time);
      const auto base = ImDrawIdx(draw->_VtxCurrentIdx);
      for (const int k : {0, 1, 2, 0, 2, 3}) draw->PrimWriteIdx(ImDrawIdx(base + k));
      draw->PrimWriteVtx({left, plot.value.pixel(a.low)}, uv, ink);
      draw->PrimWriteVtx({left, plot.value.pixel(a.high)}, uv, ink);
      draw->PrimWriteVtx({right, plot.value.pixel(b.high)}, uv, ink);
      draw->PrimWriteVtx({right, plot.value.pixel(b.low)}, uv, ink);
    }
  }
}

std::string unit_label(const char* unit) {
  // Brackets distinguish the unit 1 from a tick label.
  return fmt::format("[{}]", unit);
}

void draw_grid(ImDrawList* draw, const Plot& plot) {
  const ImVec2 a = top_left(plot), b = bottom_right(plot);
  ImVec4 ground = ImGui::GetStyleColorVec4(ImGuiCol_FrameBg),
         line = ImGui::GetStyleColorVec4(ImGuiCol_Border);
  ground.w *= 0.35f;
  line.w *= 0.7f;
  draw->AddRectFilled(a, b, ImGui::ColorConvertFloat4ToU32(ground));
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(line), zero = color_u32(Shade::dim, 0.7f);
  const ImU32 text = color_u32(Shade::dim);
  const float line_height = ImGui::GetFontSize(), space = scaled(5);
  for (const double value : plot.time_ticks.values) {
    const float x = std::round(plot.time.pixel(value));
    draw->AddLine({x, a.y}, {x, b.y}, ink);
    if (!plot.time_labels) continue;
    const std::string label = plot.time_ticks.label(value);
    const float width = ImGui::CalcTextSize(label.c_str()).x;
    draw->AddText({std::min(x - width / 2, b.x + scaled(8) - width), b.y + scaled(2)}, text,
                  label.c_str());
  }
  // Draw the unit above the labels of the values. A label that would overlap it is omitted.
  const std::string unit = unit_label(plot.unit);
  draw->AddText({a.x - space - ImGui::CalcTextSize(unit.c_str()).x, a.y - scaled(2)},
                ImGui::GetColorU32(ImGuiCol_Text), unit.c_str());
  for (const double value : plot.value_ticks.values) {
    const float y = std::round(plot.value.pixel(value));
    draw->AddLine({a.x, y}, {b.x, y}, value == 0 ? zero : ink);
    if (y - line_height / 2 < a.y - scaled(2) + line_height) continue;
    const std::string label = plot.value_ticks.label(value);
    draw->AddText({a.x - space - ImGui::CalcTextSize(label.c_str()).x, y - line_height / 2}, text,
                  label.c_str());
  }
  draw->AddRect(a, b, ImGui::GetColorU32(ImGuiCol_Border));
}

int curve_width() {
  return std::max(1, int(std::lround(scaled(1.5f))));
}

namespace {

// Draws the box that the right button drags. Returns the gesture that zooms to it, or nullopt if it
// is too narrow. A flat box zooms the time only.
std::optional<PlotGesture> box_zoom(ImDrawList* draw, const Plot& plot) {
  const ImVec2 from = ImGui::GetIO().MouseClickedPos[1], to = ImGui::GetIO().MousePos;
  const ImVec2 a = top_left(plot), b = bottom_right(plot);
  const auto x = std::minmax({std::clamp(from.x, a.x, b.x), std::clamp(to.x, a.x, b.x)});
  auto y = std::minmax({std::clamp(from.y, a.y, b.y), std::clamp(to.y, a.y, b.y)});
  if (x.second - x.first < scaled(4)) return std::nullopt;
  const bool time_alone = y.second - y.first < scaled(12);
  if (time_alone) y = {a.y, b.y};
  draw->AddRectFilled({x.first, y.first}, {x.second, y.second}, color_u32(Shade::accent, 0.18f));
  draw->AddRect({x.first, y.first}, {x.second, y.second}, color_u32(Shade::accent));
  PlotGesture gesture;
  gesture.time = usable({plot.time.value(x.first), plot.time.value(x.second)});
  if (!time_alone) gesture.value = usable({plot.value.value(y.second), plot.value.value(y.first)});
  return gesture;
}

}  // namespace

ImDrawList* begin_diagram(const char* id, const Plot& plot) {
  const ImVec2 a = top_left(plot), b = bottom_right(plot);
  ImGui::SetCursorScreenPos(a);
  ImGui::InvisibleButton(id, {std::max(b.x - a.x, 1.0f), std::max(b.y - a.y, 1.0f)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  ImGui::SetItemUsingMouseWheel();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw_grid(draw, plot);
  draw->PushClipRect(a, b, true);
  return draw;
}

PlotGesture gesture_of(ImDrawList* draw, const Plot& plot) {
  const ImGuiIO& io = ImGui::GetIO();
  PlotGesture gesture;
  if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(1))
    if (const auto box = box_zoom(draw, plot)) gesture = *box;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(1)) box_zoom(draw, plot);
  const double here = plot.time.value(io.MousePos.x);
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0)) {
    if (io.KeyCtrl) {
      gesture.measured = std::pair(plot.time.value(io.MouseClickedPos[0].x), here);
    } else if (io.KeyShift) {
      if (ImGui::IsItemActivated() || io.MouseDelta.x != 0) gesture.go = here;
    } else if (ImGui::IsMouseDragging(0)) {
      if (io.MouseDelta.x != 0)
        gesture.time =
            moved(plot.time.range, plot.time.value(0) - plot.time.value(io.MouseDelta.x));
      if (io.MouseDelta.y != 0 && !plot.value_fitted)
        gesture.value =
            moved(plot.value.range, plot.value.value(0) - plot.value.value(io.MouseDelta.y));
    }
  }
  if (!ImGui::IsItemHovered()) return gesture;
  gesture.cursor = here;
  gesture.fit = ImGui::IsMouseDoubleClicked(0);
  if (io.MouseWheel == 0) return gesture;
  const double factor = std::pow(0.85, double(io.MouseWheel));
  if (io.KeyCtrl)
    gesture.value = zoomed(plot.value.range, plot.value.value(io.MousePos.y), factor);
  else
    gesture.time = zoomed(plot.time.range, here, factor);
  return gesture;
}

}  // namespace torsor::editor
