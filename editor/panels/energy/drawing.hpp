#pragma once
// Drawing functions of the energy panel: lines of named numbers, and diagrams below each other.

#include <string>
#include <vector>

#include "editor/plot/plot.hpp"

namespace torsor::editor {

class Editor;

// A diagram with its curves. The last diagram of a column has the labels of time.
struct EnergyDiagram {
  const char* id;  // key of its zoomed values in the panel
  const char* unit;
  Extremes extremes;
  std::vector<PlotArea> areas{};
  std::vector<PlotCurve> curves{};
};

void draw_energy_diagram(Editor& editor, const EnergyDiagram& drawing, float height,
                         float label_width, bool last);

}  // namespace torsor::editor
