#pragma once
// What the plots show, made ready to be drawn: each plot's curves in one diagram for each unit.

#include <string>
#include <vector>

#include "editor/panels/plots.hpp"
#include "editor/plot/plot.hpp"

namespace torsor::editor {

struct Editor;

// A curve's line in the legend.
struct Entry {
  ImVec4 color;
  std::string shown;  // as the plot has it: a signal, or this column
  const Signal* signal;
  size_t index;  // of the column in the signal
  bool sampled = false;
  double value = 0;  // at the time of the readout

  const Column& column() const { return signal->columns[index]; }
};

struct Diagram {
  size_t plot = 0;
  std::string unit;
  std::vector<Entry> entries{};
  Extremes extremes{};                  // of what is to be seen
  std::vector<std::string> troubles{};  // signals that there are not, or no longer
};

// s: of the run, as far as it has been or is to play; and what of it the plots show.
double end_time(const Editor& editor);
Range shown_time(const Editor& editor);
// The kept state nearest to a time.
double kept_time(const Editor& editor, double time);

// At least one for each plot, in their order. readout: s.
std::vector<Diagram> diagrams(const Editor& editor, double readout);
// The curves of a diagram's entries, so many pixels wide.
std::vector<PlotCurve> curves(const Editor& editor, const Diagram& diagram, int pixels);

}  // namespace torsor::editor
