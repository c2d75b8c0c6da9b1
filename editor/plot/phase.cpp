#include "editor/plot/phase.hpp"

#include <imgui_internal.h>  // SetItemUsingMouseWheel

#include <algorithm>
#include <cmath>
#include <utility>

#include "editor/plot/plot_parts.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Maximum number of samples of a curve, approximately.
constexpr size_t most_samples = 4096;
constexpr float near = 24;  // maximum distance of the mouse from a curve, at scale 1

// Points of a curve that one straight line from `from` can replace, because they are all close to
// the line. The directions of such lines form a cone. Each further point narrows the cone. The
// distance of the points from `from` must not decrease.
struct PhaseReach {
  ImVec2 from;
  ImVec2 low{}, high{};  // directions of the cone's sides
  float farthest = 0;    // largest distance of a point from `from`; 0: no points yet

  static float cross(ImVec2 a, ImVec2 b) { return a.x * b.y - a.y * b.x; }
  // Adds a point. Returns false, without a change, if no line is close to this and all earlier
  // points.
  bool extend(ImVec2 to) {
    constexpr float close = 0.35f;  // maximum distance from the line, pixels
    const ImVec2 d{to.x - from.x, to.y - from.y};
    const float length = std::hypot(d.x, d.y);
    if (farthest == 0 && length < 1) return true;
    if (farthest > 0 && (cross(low, d) < 0 || cross(d, high) < 0 || length < farthest - close))
      return false;
    const ImVec2 side{-d.y / length * close, d.x / length * close};
    const ImVec2 right{d.x - side.x, d.y - side.y}, left{d.x + side.x, d.y + side.y};
    if (farthest == 0 || cross(low, right) > 0) low = right;
    if (farthest == 0 || cross(left, high) > 0) high = left;
    farthest = std::max(farthest, length);
    return true;
  }
};

void draw_path(ImDrawList* draw, const Plot& plot, const PhaseCurve& curve, int width) {
  static std::vector<ImVec2> path;  // static, to reuse its memory
  path.clear();
  for (const PhasePoint& point : curve.points)
    path.push_back({plot.time.pixel(point.x), plot.value.pixel(point.y)});
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(curve.color);
  if (path.size() > 1) draw_pieces(draw, path, ink, width);
}

void draw_place(ImDrawList* draw, const PhaseCurve& curve) {
  const ImU32 ink = ImGui::ColorConvertFloat4ToU32(curve.color);
  if (curve.cursor)
    draw->AddCircle(*curve.cursor, scaled(5), color_u32(Shade::accent), 0, scaled(1.5f));
  if (!curve.present) return;
  draw->AddCircleFilled(*curve.present, scaled(4), ink);
  draw->AddCircle(*curve.present, scaled(4), ImGui::GetColorU32(ImGuiCol_Text), 0, scaled(1));
}

// Returns the time of the point of a curve that is nearest to the mouse, or nullopt if none is
// near.
std::optional<double> time_at(const Plot& plot, std::span<const PhaseCurve> curves, ImVec2 mouse) {
  std::optional<double> time;
  float least = scaled(near);
  for (const PhaseCurve& curve : curves)
    for (size_t i = 0; i + 1 < curve.points.size(); ++i) {
      const PhasePoint &p = curve.points[i], &q = curve.points[i + 1];
      const ImVec2 a{plot.time.pixel(p.x), plot.value.pixel(p.y)};
      const ImVec2 d{plot.time.pixel(q.x) - a.x, plot.value.pixel(q.y) - a.y},
          m{mouse.x - a.x, mouse.y - a.y};
      const float square = d.x * d.x + d.y * d.y;
      const float part = square > 0 ? std::clamp((m.x * d.x + m.y * d.y) / square, 0.0f, 1.0f) : 0;
      const float distance = std::hypot(m.x - part * d.x, m.y - part * d.y);
      if (distance >= least) continue;
      least = distance;
      time = p.time + double(part) * (q.time - p.time);
    }
  return time;
}

}  // namespace

std::vector<PhasePoint> phase_points(const std::vector<double>& time, const Series& x,
                                     const Series& y, const SampleRange& samples,
                                     const Axis& x_axis, const Axis& y_axis) {
  std::vector<PhasePoint> points;
  PhaseReach reach;
  std::optional<PhasePoint> last;  // last sample, if it is not in `points` yet
  const auto keep = [&](const PhasePoint& point) {
    points.push_back(point);
    reach = {{x_axis.pixel(point.x), y_axis.pixel(point.y)}};
    last.reset();
  };
  for (const size_t i : thinned(samples, most_samples)) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    const PhasePoint point{time[i], x[i], y[i]};
    const ImVec2 at{x_axis.pixel(point.x), y_axis.pixel(point.y)};
    if (points.empty()) {
      keep(point);
      continue;
    }
    if (!reach.extend(at)) {
      keep(*last);
      (void)reach.extend(at);
    }
    last = point;
  }
  if (last) keep(*last);
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
  ImDrawList* draw = begin_diagram(id, plot);
  for (const PhaseCurve& curve : curves) draw_path(draw, plot, curve, curve_width());
  for (const PhaseCurve& curve : curves) draw_place(draw, curve);
  PlotGesture gesture = gesture_of(draw, plot);
  draw->PopClipRect();
  gesture.measured.reset();
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered() && io.MouseWheel != 0 && !io.KeyCtrl)
    gesture.value = zoomed(plot.value.range, plot.value.value(io.MousePos.y),
                           std::pow(0.85, double(io.MouseWheel)));
  const bool asks = std::exchange(gesture.cursor, std::nullopt).has_value() || gesture.go;
  const std::optional<double> time = asks ? time_at(plot, curves, io.MousePos) : std::nullopt;
  gesture.cursor = time;
  if (gesture.go) gesture.go = time;
  return gesture;
}

}  // namespace torsor::editor
