#include "editor/plot/phase.hpp"

#include <imgui_internal.h>  // SetItemUsingMouseWheel

#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/app/widgets.hpp"
#include "editor/plot/plot_parts.hpp"

namespace torsor::editor {

namespace {

constexpr size_t most_samples = 16384;  // that are looked at
constexpr float near = 24;              // to the mouse, at scale 1

void draw_path(ImDrawList* draw, const Plot& plot, const PhaseCurve& curve, int width) {
  static std::vector<ImVec2> path;  // kept for its memory
  path.clear();
  for (const PhasePoint& point : curve.points)
    path.push_back({plot.time.pixel(point.x), plot.value.pixel(point.y)});
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(curve.color);
  if (path.size() > 1) draw_pieces(draw, path, ink, width);
}

void draw_place(ImDrawList* draw, const PhaseCurve& curve) {
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(curve.color);
  if (curve.cursor) draw->AddCircle(*curve.cursor, scaled(5), color_u32(Shade::accent), 0, scaled(1.5f));
  if (!curve.present) return;
  draw->AddCircleFilled(*curve.present, scaled(4), ink);
  draw->AddCircle(*curve.present, scaled(4), ImGui::GetColorU32(ImGuiCol_Text), 0, scaled(1));
}

// Time of the point that is nearest to the mouse, where one is near.
std::optional<double> time_at(const Plot& plot, std::span<const PhaseCurve> curves, ImVec2 mouse) {
  std::optional<double> time;
  float least = scaled(near);
  for (const PhaseCurve& curve : curves)
    for (const PhasePoint& point : curve.points) {
      const float distance =
          std::hypot(plot.time.pixel(point.x) - mouse.x, plot.value.pixel(point.y) - mouse.y);
      if (distance >= least) continue;
      least = distance;
      time = point.time;
    }
  return time;
}

}  // namespace

std::vector<PhasePoint> phase_points(const std::vector<double>& time, const Series& x, const Series& y,
                                     const SampleRange& samples, const Axis& x_axis, const Axis& y_axis) {
  std::vector<PhasePoint> points;
  ImVec2 last{};
  for (const size_t i : thinned(samples, most_samples)) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    const ImVec2 at{x_axis.pixel(x[i]), y_axis.pixel(y[i])};
    const bool same = std::abs(at.x - last.x) < 1 && std::abs(at.y - last.y) < 1;
    if (!points.empty() && same && i + 1 < samples.end) continue;
    points.push_back({time[i], x[i], y[i]});
    last = at;
  }
  return points;
}

void make_equal(Axis& x, Axis& y) {
  const auto per_pixel = [](const Axis& axis) {
    return axis.range.width() / std::abs(double(axis.end - axis.begin));
  };
  const double by = per_pixel(x) / per_pixel(y);
  Range& range = by > 1 ? y.range : x.range;
  range = zoomed(range, range.low / 2 + range.high / 2, std::max(by, 1 / by));
}

PlotGesture draw_phase(const char* id, const Plot& plot, std::span<const PhaseCurve> curves) {
  const ImVec2 a = top_left(plot), b = bottom_right(plot);
  ImGui::SetCursorScreenPos(a);
  ImGui::InvisibleButton(id, {b.x - a.x, b.y - a.y},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  ImGui::SetItemUsingMouseWheel();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw_grid(draw, plot);
  draw->PushClipRect(a, b, true);
  for (const PhaseCurve& curve : curves) draw_path(draw, plot, curve, curve_width());
  for (const PhaseCurve& curve : curves) draw_place(draw, curve);
  draw_unit(draw, plot);
  PlotGesture gesture = gesture_of(draw, plot);
  draw->PopClipRect();
  gesture.measured.reset();
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered() && io.MouseWheel != 0 && !io.KeyCtrl)
    gesture.value =
        zoomed(plot.value.range, plot.value.value(io.MousePos.y), std::pow(0.85, double(io.MouseWheel)));
  const bool asks = std::exchange(gesture.cursor, std::nullopt).has_value() || gesture.go;
  const std::optional<double> time = asks ? time_at(plot, curves, io.MousePos) : std::nullopt;
  gesture.cursor = time;
  if (gesture.go) gesture.go = time;
  return gesture;
}

}  // namespace torsor::editor
