#include "editor/panels/solvers/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/panels/solvers/solvers.hpp"
#include "editor/widgets/number_line.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Minimum disagreement that is drawn, as a fraction of the tolerance. Smaller values, including
// zero, are drawn at this level.
constexpr double least_fraction = 1e-8;

struct HistoryCurve {
  ImVec4 color;
  std::string name;
  const RunHistory* history;
  // Factor from values of the history to the unit of the diagram, and minimum that is drawn.
  double factor, least;

  double value(double raw) const { return std::max(factor * raw, least); }
};

// Returns the curve of a history as exponents of ten: a horizontal line per time interval.
// Intervals without values are bridged by a straight line.
PlotCurve curve_of(const HistoryCurve& curve) {
  PlotCurve out{curve.color, {}};
  const RunHistory& history = *curve.history;
  for (size_t k = 0; k < history.size(); ++k) {
    const double begin = double(k) * history.width(), level = std::log10(curve.value(history[k]));
    if (std::isinf(level)) out.line.infinite.push_back({begin, level});
    if (!std::isfinite(level)) continue;
    out.line.points.push_back({begin, level});
    out.line.points.push_back({begin + history.width(), level});
  }
  return out;
}

Range decade_range(const std::vector<PlotCurve>& curves, double also) {
  Extremes extremes;
  extremes.include(also);
  for (const PlotCurve& curve : curves)
    for (const PlotPoint& point : curve.line.points) extremes.include(point.value);
  if (!extremes.any_finite()) return {-1, 1};
  const double low = std::floor(extremes.low - 0.1), high = std::ceil(extremes.high + 0.1);
  return {low, std::max(high, low + 2)};
}

// Draws histories in one diagram. limit is the exponent of a marked level; NaN: none.
void draw_history(Editor& editor, const char* id, const char* unit,
                  std::span<const HistoryCurve> histories, double limit,
                  std::optional<Range>& zoomed, float height) {
  std::vector<PlotCurve> curves;
  for (const HistoryCurve& one : histories) curves.push_back(curve_of(one));
  const Range value = zoomed.value_or(decade_range(curves, limit));
  const Range time = shown_time(editor);
  if (!std::isnan(limit))
    curves.push_back({color(Shade::error), {{{time.low, limit}, {time.high, limit}}, {}}});
  const ImVec2 at = ImGui::GetCursorScreenPos(), size{ImGui::GetContentRegionAvail().x, height};
  const Ticks powers = power_ticks(value, value_tick_room(height - time_label_height()));
  Plot plot =
      plot_over_time(editor, unit, value, {at, size, value_label_width(powers, unit), true});
  plot.value_ticks = powers;
  plot.value_fitted = !zoomed;
  plot.curves = curves;
  const PlotGesture gesture = draw_plot(id, plot);
  if (gesture.value) zoomed = gesture.value;
  if (gesture.fit) zoomed.reset();
  follow_gesture(editor, gesture);
  ImGui::SetCursorScreenPos({at.x, at.y + size.y});
}

void draw_legend_line(std::span<const HistoryCurve> histories, double readout, const char* unit,
                      const char* format) {
  NumberLine line;
  for (const HistoryCurve& one : histories) {
    const double value = one.factor * one.history->at(readout);
    const std::string text = std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
    line.add(&one.color, one.name, text,
             std::isnan(value) ? one.name + ": not computed at this time"
                               : fmt::format("{} {} {}", one.name, text, unit));
  }
}

void draw_timed_choice(Editor& editor) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ImGui::GetStyle().FramePadding.x, 0));
  dim_text("Time per call, µs:");
  for (const Quantity quantity : all_quantities) {
    if (indices(quantity) == 3) continue;
    ImGui::SameLine(0, scaled(3));
    ImGui::PushID(int(quantity));
    action_choice(editor, row_of(quantity).symbol, editor.panel<SolversPanel>().timed == quantity,
                  "solver.timed", {name(quantity)}, name(quantity));
    ImGui::PopID();
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_solver_history(Editor& editor, const SolverWatch& watch) {
  const double readout = readout_time(editor);
  const float lines = 5 * ImGui::GetTextLineHeightWithSpacing();
  const float height =
      std::max(scaled(92), std::floor((ImGui::GetContentRegionAvail().y - lines) / 2));
  std::vector<HistoryCurve> disagreements, times;
  for (const Compared quantity : all_compared)
    disagreements.push_back({curve_color(int(quantity)), name(quantity),
                             &watch.disagreements(quantity), 1, least_fraction});
  for (int k = 0; k < int(watch.solvers().size()); ++k)
    times.push_back({curve_color(k), initials(watch.solvers()[size_t(k)].id()),
                     &watch.call_times(k, editor.panel<SolversPanel>().timed), 1e-3, 1e-6});
  dim_text(fmt::format("Largest disagreement / tolerance; at {:.4g} s", readout));
  tooltip(
      "The largest of all pairs of solvers, at the states compared while this panel was visible. "
      "Above 1, solvers disagree.");
  if (watch.solvers().size() > 1) {
    draw_history(editor, "disagreement", "1", disagreements, 0,
                 editor.panel<SolversPanel>().disagreement, height);
    draw_legend_line(disagreements, readout, "of the tolerance", "{:.0e}");
  } else {
    dim_text("Only one solver supports this model.");
  }
  draw_timed_choice(editor);
  draw_history(editor, "times", "µs", times, std::nan(""), editor.panel<SolversPanel>().time,
               height);
  draw_legend_line(times, readout, "µs", "{:.3g}");
}

}  // namespace torsor::editor
