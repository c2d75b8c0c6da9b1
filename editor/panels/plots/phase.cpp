// Draws phase portraits: plots of one signal over another.

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/panels/plots/plots.hpp"
#include "editor/plot/phase.hpp"

namespace torsor::editor {

namespace {

// Adds a curve from the samples that both signals have. All signals are sampled at the same states.
void add_curve(const Editor& editor, const Entry& entry, const Plot& plot,
               std::vector<PhaseCurve>& curves) {
  if (!entry.x_signal) return;
  const auto add = [&](const std::vector<double>& time, const Series& x, const Series& y) {
    if (time.empty()) return;
    const auto place = [&](double at) {
      const size_t i = nearest_sample(time, at);
      return ImVec2{plot.time.pixel(x[i]), plot.value.pixel(y[i])};
    };
    const SampleRange seen = samples_in(time, shown_time(editor));
    PhaseCurve curve{entry.color, phase_points(time, x, y, seen, plot.time, plot.value), {}, {}};
    curve.present = place(editor.now->time());
    if (editor.panel<PlotsPanel>().cursor) curve.cursor = place(*editor.panel<PlotsPanel>().cursor);
    curves.push_back(std::move(curve));
  };
  editor.sampler.read_both(
      entry.signal->name, entry.x_signal->name, [&](const Samples& of_y, const Samples& of_x) {
        if (of_y.values.size() != entry.signal->columns.size()) return;  // not sampled yet
        if (of_x.values.size() != entry.x_signal->columns.size()) return;
        const bool fewer = of_x.time.size() < of_y.time.size();
        add(fewer ? of_x.time : of_y.time, of_x.values[entry.x_index], of_y.values[entry.index]);
      });
}

}  // namespace

void draw_phase_diagram(Editor& editor, const Diagram& diagram, const Canvas& canvas) {
  PlotsPanel::Shown& shown = editor.panel<PlotsPanel>().plots[diagram.plot];
  const auto zoomed = shown.value.find(diagram.unit);
  const Entry* entry = diagram.entries.empty() ? nullptr : &diagram.entries.front();
  const std::string unit =
      entry && entry->x_signal
          ? diagram.unit + " over " + entry->x_signal->columns[entry->x_index].unit
          : diagram.unit;
  Plot plot = plot_over_time(
      editor, unit.c_str(), zoomed != shown.value.end() ? zoomed->second : fitted(diagram.extremes),
      canvas);
  plot.time.range = shown.x.value_or(fitted(diagram.x_extremes));
  if (shown.equal) make_equal(plot.time, plot.value);
  plot.time_ticks = ticks(plot.time.range, time_tick_room(plot.time.end - plot.time.begin));
  plot.value_ticks = ticks(plot.value.range, value_tick_room(plot.value.begin - plot.value.end));
  plot.value_fitted = false;
  std::vector<PhaseCurve> curves;
  for (const Entry& one : diagram.entries) add_curve(editor, one, plot, curves);
  PlotGesture gesture = draw_phase("phase", plot, curves);
  if (const auto x = std::exchange(gesture.time, std::nullopt)) shown.x = x;
  if (gesture.value) shown.value[diagram.unit] = *gesture.value;
  follow_gesture(editor, gesture);
}

}  // namespace torsor::editor
