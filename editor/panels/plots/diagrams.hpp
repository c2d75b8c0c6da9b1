#pragma once
// What the plots show, made ready to be drawn: each plot's curves in one diagram for each unit.

#include <string>
#include <vector>

#include "editor/panels/plots/plots.hpp"
#include "editor/plot/plot.hpp"

namespace torsor::editor {

class Editor;

// A curve's line in the legend.
struct Entry {
  ImVec4 color;
  std::string shown;  // as the plot has it: a signal, or this column
  const Signal* signal;
  size_t index;  // of the column in the signal
  bool sampled = false;
  double value = 0;                                    // at the time of the readout
  std::optional<std::pair<double, double>> between{};  // at the two cursors
  // In a phase portrait, the column that it is over.
  const Signal* x_signal = nullptr;
  size_t x_index = 0;

  const Column& column() const { return signal->columns[index]; }
};

struct Diagram {
  size_t plot = 0;
  std::string unit;
  std::vector<Entry> entries{};
  Extremes extremes{};                  // of what is to be seen
  Extremes x_extremes{};                // in a phase portrait: of what it is over
  std::vector<std::string> troubles{};  // signals that there are not, or no longer
};

// s: of the run, as far as it has been or is to play; and what of it the plots show.
double end_time(const Editor& editor);
Range shown_time(const Editor& editor);
// Returns the time of the numbers beside plots, s: where the mouse points in a plot, or the current
// time.
double readout_time(const Editor& editor);
// The index of the sample nearest to a time; there is one.
size_t nearest_sample(const std::vector<double>& time, double at);
// The kept state nearest to a time.
double kept_time(const Editor& editor, double time);

// Where a diagram stands on the screen, with its labels.
struct Canvas {
  ImVec2 at, size;
  float label_width;
  bool time_labels;
};
// Axes and marks of a diagram over the time that all plots show; its curves are to be added.
Plot plot_over_time(const Editor& editor, const char* unit, const Range& value,
                    const Canvas& canvas);
// What the mouse asks of all plots: their time, cursor, where the run is to go. Zoomed values are
// the caller's.
void follow_gesture(Editor& editor, const PlotGesture& gesture);

// At least one for each plot, in their order. readout: s.
std::vector<Diagram> diagrams(const Editor& editor, double readout);
// A diagram of a phase portrait, with the gestures on it.
void draw_phase_diagram(Editor& editor, const Diagram& diagram, const Canvas& canvas);
// The curves of a diagram's entries, so many pixels wide.
std::vector<PlotCurve> curves(const Editor& editor, const Diagram& diagram, int pixels);

}  // namespace torsor::editor
