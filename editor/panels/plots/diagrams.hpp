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
  std::string shown;  // name in the plot: a signal, or this column
  const Signal* signal;
  size_t index;  // index of the column in the signal
  bool sampled = false;
  double value = 0;                                    // value at the time of the readout
  std::optional<std::pair<double, double>> between{};  // values at the two cursors
  // In a phase portrait: the column of the x axis.
  const Signal* x_signal = nullptr;
  size_t x_index = 0;

  const Column& column() const { return signal->columns[index]; }
};

struct Diagram {
  size_t plot = 0;
  std::string unit;
  std::vector<Entry> entries{};
  Extremes extremes{};                  // of the visible samples
  Extremes x_extremes{};                // of the x axis of a phase portrait
  std::vector<std::string> troubles{};  // messages about missing signals
};

// end_time() returns the end of the computed or planned run in s. shown_time() returns the part
// that the plots show.
double end_time(const Editor& editor);
Range shown_time(const Editor& editor);
// Returns the time in s of the numbers next to plots: the time at the mouse in a plot, or else the
// current time.
double readout_time(const Editor& editor);
// Returns the index of the sample nearest to a time. There must be at least one sample.
size_t nearest_sample(const std::vector<double>& time, double at);
// Returns the time of the kept state nearest to a time.
double kept_time(const Editor& editor, double time);

// The rectangle of a diagram on the screen, including its labels.
struct Canvas {
  ImVec2 at, size;
  float label_width;
  bool time_labels;
};
// Returns the axes and marks of a diagram over the time of all plots. The caller adds the curves.
Plot plot_over_time(const Editor& editor, const char* unit, const Range& value,
                    const Canvas& canvas);
// Applies a mouse gesture that concerns all plots: time range, cursor, or a new current time. The
// caller applies zoomed values.
void follow_gesture(Editor& editor, const PlotGesture& gesture);

// Returns the diagrams in the order of the plots, at least one per plot. readout is in s.
std::vector<Diagram> diagrams(const Editor& editor, double readout);
// Draws a diagram of a phase portrait and handles gestures on it.
void draw_phase_diagram(Editor& editor, const Diagram& diagram, const Canvas& canvas);
// Returns the curves of a diagram's entries for a width in pixels.
std::vector<PlotCurve> curves(const Editor& editor, const Diagram& diagram, int pixels);

}  // namespace torsor::editor
