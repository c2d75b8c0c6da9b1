#pragma once
// Prepares the diagrams of the plots. Each plot has one diagram per unit.

#include <string>
#include <vector>

#include "editor/panels/plots/plots.hpp"
#include "editor/plot/plot.hpp"

namespace torsor::editor {

class Editor;

// A row of the legend: one curve.
struct Entry {
  ImVec4 color;
  std::string shown;  // name in the list of the plot: a signal, or this column
  const Signal* signal;
  size_t index;  // index of the column in the signal
  bool sampled = false;
  double value = 0;                                    // value at the time of the readout
  std::optional<std::pair<double, double>> between{};  // values at the times of the two cursors
  // In a phase portrait: the column of the x axis.
  const Signal* x_signal = nullptr;
  size_t x_index = 0;

  const Column& column() const { return signal->columns[index]; }
};

struct Diagram {
  size_t plot = 0;
  std::string unit;
  std::vector<Entry> entries{};
  Extremes extremes{};                  // extremes of the visible samples
  Extremes x_extremes{};                // extremes of the x axis of a phase portrait
  std::vector<std::string> troubles{};  // messages about signals that cannot be plotted
};

// Returns the end of the run in s: the end of playback, or of the computed states if that is later.
double end_time(const Editor& editor);
// Returns the time range of the plots in s.
Range shown_time(const Editor& editor);
// Returns the time in s of the values in legends: the time at the mouse in a plot, or else the
// current time.
double readout_time(const Editor& editor);
// Returns the index of the sample nearest to a time. There must be at least one sample.
size_t nearest_sample(const std::vector<double>& time, double at);
// Returns the time of the stored state that is nearest to a time, s.
double kept_time(const Editor& editor, double time);

// The rectangle of a diagram on the screen, with the labels of its axes.
struct Canvas {
  ImVec2 at, size;
  float label_width;
  bool time_labels;
};
// Returns a diagram with its axes and marks but without curves. Its time range is the one of the
// plots.
Plot plot_over_time(const Editor& editor, const char* unit, const Range& value,
                    const Canvas& canvas);
// Applies the parts of a mouse gesture that concern all plots: time range, cursors, fit, new
// current time. The caller applies a new range of values.
void follow_gesture(Editor& editor, const PlotGesture& gesture);

// Returns the diagrams of all plots in their order, at least one per plot. readout is the time in s
// of the values in legends.
std::vector<Diagram> diagrams(const Editor& editor, double readout);
// Draws a phase portrait and applies the mouse gestures on it.
void draw_phase_diagram(Editor& editor, const Diagram& diagram, const Canvas& canvas);
// Returns the curves of a diagram's entries, reduced to the points that differ at a width in
// pixels.
std::vector<PlotCurve> curves(const Editor& editor, const Diagram& diagram, int pixels);

}  // namespace torsor::editor
