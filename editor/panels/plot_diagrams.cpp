#include "editor/panels/plot_diagrams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

namespace {

// The index of the sample nearest to a time; there is one.
size_t nearest(const std::vector<double>& time, double at) {
  const size_t after = size_t(std::lower_bound(time.begin(), time.end(), at) - time.begin());
  if (after == 0) return 0;
  if (after == time.size()) return after - 1;
  return time[after] - at < at - time[after - 1] ? after : after - 1;
}

class Gatherer {
 public:
  Gatherer(const Editor& editor, double readout)
      : editor_(editor), time_(shown_time(editor)), readout_(readout) {}

  void add_plot(size_t k) {
    first_ = diagrams.size();
    plot_ = k;
    color_ = 0;
    std::vector<std::string> troubles;
    for (const std::string& name : editor_.plots.plots[k].signals) add(name, troubles);
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
    const SignalPart* part = editor_.plots.catalogue.find(name);
    if (!part) {
      troubles.push_back(fmt::format("{}: this scene has no such signal", name));
      return;
    }
    const Signal& signal = editor_.plots.catalogue.signals()[part->signal];
    bool there = false;
    editor_.sampler.read(signal.name, [&](const Samples& samples) {
      there = samples.values.size() == signal.columns.size();
      for (size_t c = part->column; there && c < part->column + part->count; ++c)
        add_entry(name, signal, c, samples, samples.values[c]);
      if (!samples.failure.empty()) troubles.push_back(fmt::format("{}: {}", name, samples.failure));
    });
    for (size_t c = part->column; !there && c < part->column + part->count; ++c)
      add_entry(name, signal, c, {}, {});
  }

  void add_entry(const std::string& name, const Signal& signal, size_t c, const Samples& samples,
                 const Series& values) {
    Diagram& diagram = diagram_of(signal.columns[c].unit);
    Entry entry{curve_color(color_++), name, &signal, c};
    if (!samples.time.empty()) {
      const auto [begin, end] = samples_in(samples.time, time_);
      diagram.extremes.include(values.extremes(begin, end));
      entry.sampled = true;
      entry.value = values[nearest(samples.time, readout_)];
    }
    diagram.entries.push_back(std::move(entry));
  }

  const Editor& editor_;
  const Range time_;
  const double readout_;
  size_t first_ = 0, plot_ = 0;  // diagram and index of the present plot
  int color_ = 0;
};

}  // namespace

double end_time(const Editor& editor) {
  const Moment& now = *editor.now;
  return double(std::max({now.limit, now.timeline.end(), 1LL})) * editor.dt();
}

Range shown_time(const Editor& editor) {
  return editor.plots.time.value_or(Range{0, end_time(editor)});
}

double kept_time(const Editor& editor, double time) {
  const Timeline& timeline = editor.now->timeline;
  const double step =
      std::clamp(std::round(time / editor.dt()), double(timeline.step(0)), double(timeline.end()));
  const size_t i = timeline.index_at((long long)step);
  const bool next =
      i + 1 < timeline.size() && double(timeline.step(i + 1)) - step < step - double(timeline.step(i));
  return double(timeline.step(next ? i + 1 : i)) * editor.dt();
}

std::vector<Diagram> diagrams(const Editor& editor, double readout) {
  Gatherer gatherer(editor, readout);
  for (size_t k = 0; k < editor.plots.plots.size(); ++k) gatherer.add_plot(k);
  return std::move(gatherer.diagrams);
}

std::vector<PlotCurve> curves(const Editor& editor, const Diagram& diagram, int pixels) {
  const Range time = shown_time(editor);
  const std::vector<Entry>& entries = diagram.entries;
  std::vector<PlotCurve> found;
  for (const Entry& entry : entries) found.push_back({entry.color, {}});
  for (size_t first = 0, end = 0; first < entries.size(); first = end) {
    while (end < entries.size() && entries[end].signal == entries[first].signal) ++end;
    editor.sampler.read(entries[first].signal->name, [&](const Samples& samples) {
      if (samples.values.size() != entries[first].signal->columns.size()) return;  // not begun
      const TimeColumns columns = time_columns(samples.time, time, pixels);
      for (size_t k = first; k < end; ++k)
        found[k].line = decimate(columns, samples.time, samples.values[entries[k].index]);
    });
  }
  return found;
}

}  // namespace torsor::editor
