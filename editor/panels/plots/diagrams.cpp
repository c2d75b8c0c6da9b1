#include "editor/panels/plots/diagrams.hpp"
#include "editor/panels/plots/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/plot/phase.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

class DiagramBuilder {
 public:
  DiagramBuilder(const Editor& editor, double readout)
      : editor_(editor), time_(shown_time(editor)), readout_(readout) {}

  void add_plot(size_t k) {
    first_ = diagrams.size();
    plot_ = k;
    color_ = 0;
    std::vector<std::string> troubles;
    for (const std::string& name : editor_.panel<PlotsPanel>().plots[k].signals)
      add(name, troubles);
    if (diagrams.size() == first_) diagram_of("");
    diagrams[first_].troubles = std::move(troubles);
  }

  std::vector<Diagram> diagrams;

 private:
  Diagram& diagram_of(const std::string& unit) {
    for (size_t k = first_; k < diagrams.size(); ++k)
      if (diagrams[k].unit == unit) return diagrams[k];
    diagrams.push_back({.plot = plot_, .unit = unit});
    return diagrams.back();
  }

  void add(const std::string& name, std::vector<std::string>& troubles) {
    const Catalogue& catalogue = editor_.panel<PlotsPanel>().catalogue;
    const std::string& over = editor_.panel<PlotsPanel>().plots[plot_].over;
    const SignalPart *part = catalogue.find(name),
                     *x_part = over.empty() ? nullptr : catalogue.find(over);
    for (const auto& [missing, there] :
         {std::pair{name, part != nullptr}, {over, over.empty() || x_part}})
      if (!there)
        return troubles.push_back(fmt::format("'{}' is not a signal of this scene", missing));
    if (x_part && x_part->count != 1 && x_part->count != part->count)
      return troubles.push_back(
          fmt::format("{} cannot be plotted over {}, which has {} columns; choose one of them",
                      name, over, x_part->count));
    const Signal& signal = catalogue.signals()[part->signal];
    const size_t first = part->column, end = part->column + part->count;
    bool there = false;
    editor_.sampler.read(signal.name, [&](const Samples& samples) {
      there = samples.values.size() == signal.columns.size();
      for (size_t c = first; there && c < end; ++c)
        add_entry(name, signal, c, samples, samples.values[c]);
      if (!samples.failure.empty())
        troubles.push_back(fmt::format("{}: {}", name, samples.failure));
    });
    for (size_t c = first; !there && c < end; ++c) add_entry(name, signal, c, {}, {});
    if (x_part) set_x_axis(*x_part, part->count);
  }

  void add_entry(const std::string& name, const Signal& signal, size_t c, const Samples& samples,
                 const Series& values) {
    Diagram& diagram = diagram_of(signal.columns[c].unit);
    Entry entry{.color = curve_color(color_++), .shown = name, .signal = &signal, .index = c};
    if (!samples.time.empty()) {
      const auto [begin, end] = samples_in(samples.time, time_);
      const auto at = [&](double time) { return values[nearest_sample(samples.time, time)]; };
      diagram.extremes.include(values.extremes(begin, end));
      entry.sampled = true;
      entry.value = at(readout_);
      if (const auto& measured = editor_.panel<PlotsPanel>().measured)
        entry.between = {at(measured->first), at(measured->second)};
    }
    diagram.entries.push_back(std::move(entry));
    last_.emplace_back(size_t(&diagram - diagrams.data()), diagram.entries.size() - 1);
  }

  // Sets the x axis of the last `count` entries, which belong to one signal. All entries get the
  // same column if `part` has one column; otherwise each entry gets its own.
  void set_x_axis(const SignalPart& part, size_t count) {
    const Signal& signal = editor_.panel<PlotsPanel>().catalogue.signals()[part.signal];
    const size_t first = last_.size() - count;
    editor_.sampler.read(signal.name, [&](const Samples& samples) {
      const bool there = samples.values.size() == signal.columns.size() && !samples.time.empty();
      for (size_t k = 0; k < count; ++k) {
        Diagram& diagram = diagrams[last_[first + k].first];
        Entry& entry = diagram.entries[last_[first + k].second];
        entry.x_signal = &signal;
        entry.x_index = part.column + (part.count == 1 ? 0 : k);
        if (!there) continue;
        const auto [begin, end] = samples_in(samples.time, time_);
        diagram.x_extremes.include(samples.values[entry.x_index].extremes(begin, end));
      }
    });
  }

  const Editor& editor_;
  const Range time_;
  const double readout_;
  // Index of the first diagram of the current plot, and index of the plot.
  size_t first_ = 0, plot_ = 0;
  int color_ = 0;
  // Position of each added entry: index of its diagram, and index in the diagram.
  std::vector<std::pair<size_t, size_t>> last_;
};

// Adds the phase curve of an entry. Both signals are sampled at the same states. If one signal has
// fewer samples so far, the curve ends there.
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

size_t nearest_sample(const std::vector<double>& time, double at) {
  const size_t after = size_t(std::lower_bound(time.begin(), time.end(), at) - time.begin());
  if (after == 0) return 0;
  if (after == time.size()) return after - 1;
  return time[after] - at < at - time[after - 1] ? after : after - 1;
}

double end_time(const Editor& editor) {
  const SessionState& now = *editor.now;
  return double(std::max({now.limit, now.timeline.end(), 1LL})) * editor.dt();
}

Range shown_time(const Editor& editor) {
  return editor.panel<PlotsPanel>().time.value_or(Range{0, end_time(editor)});
}

double readout_time(const Editor& editor) {
  return editor.panel<PlotsPanel>().cursor.value_or(editor.now->time());
}

double kept_time(const Editor& editor, double time) {
  const Timeline& timeline = editor.now->timeline;
  const double step =
      std::clamp(std::round(time / editor.dt()), double(timeline.step(0)), double(timeline.end()));
  const size_t i = timeline.index_at((long long)step);
  const bool next = i + 1 < timeline.size() &&
                    double(timeline.step(i + 1)) - step < step - double(timeline.step(i));
  return double(timeline.step(next ? i + 1 : i)) * editor.dt();
}

Plot plot_over_time(const Editor& editor, const char* unit, const Range& value,
                    const Canvas& canvas) {
  Plot plot{.unit = unit};
  const auto [at, size, label_width, time_labels] = canvas;
  const float below = time_labels ? time_label_height() : 0;
  plot.time_labels = time_labels;
  plot.time = {shown_time(editor), at.x + label_width, at.x + size.x - scaled(10)};
  plot.value = {value, at.y + size.y - below - scaled(4), at.y + scaled(5)};
  plot.time_ticks = ticks(plot.time.range, time_tick_room(plot.time.end - plot.time.begin));
  plot.value_ticks = ticks(value, value_tick_room(plot.value.begin - plot.value.end));
  plot.present = editor.now->time();
  plot.cursor = editor.panel<PlotsPanel>().cursor;
  plot.measured = editor.panel<PlotsPanel>().measured;
  for (const Change& change : editor.now->edits())
    plot.edits.push_back(double(change.step) * editor.dt());
  return plot;
}

void follow_gesture(Editor& editor, const PlotGesture& gesture) {
  PlotsPanel& panel = editor.panel<PlotsPanel>();
  if (gesture.time) panel.time = gesture.time;
  if (gesture.cursor) panel.pointed = kept_time(editor, *gesture.cursor);
  if (gesture.go)
    try_action(editor, "time.go",
               {fmt::format("{}", std::clamp(*gesture.go, 0.0, end_time(editor)))});
  if (gesture.fit) try_action(editor, "plot.fit");
  if (!gesture.measured) return;
  const auto [from, to] = *gesture.measured;
  panel.measured.reset();
  if (kept_time(editor, from) != kept_time(editor, to))
    panel.measured = {kept_time(editor, from), kept_time(editor, to)};
}

std::vector<Diagram> diagrams(const Editor& editor, double readout) {
  DiagramBuilder builder(editor, readout);
  for (size_t k = 0; k < editor.panel<PlotsPanel>().plots.size(); ++k) builder.add_plot(k);
  return std::move(builder.diagrams);
}

std::vector<PlotCurve> curves(const Editor& editor, const Diagram& diagram, int pixels) {
  const Range time = shown_time(editor);
  const std::vector<Entry>& entries = diagram.entries;
  std::vector<PlotCurve> found;
  for (const Entry& entry : entries) found.push_back({entry.color, {}});
  for (size_t first = 0, end = 0; first < entries.size(); first = end) {
    while (end < entries.size() && entries[end].signal == entries[first].signal) ++end;
    editor.sampler.read(entries[first].signal->name, [&](const Samples& samples) {
      // Leave the curve empty if the signal is not sampled yet.
      if (samples.values.size() != entries[first].signal->columns.size()) return;
      const TimeColumns columns = time_columns(samples.time, time, pixels);
      for (size_t k = first; k < end; ++k)
        found[k].line = decimate(columns, samples.time, samples.values[entries[k].index]);
    });
  }
  return found;
}

}  // namespace torsor::editor
