#pragma once
// Draws the diagrams of the energy panel.

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
