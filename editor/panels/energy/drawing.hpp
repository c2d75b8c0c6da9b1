#pragma once
// Draws the diagrams of the energy panel.

#include <string>
#include <vector>

#include "editor/plot/plot.hpp"

namespace torsor::editor {

class Editor;

// A diagram with its areas and curves.
struct EnergyDiagram {
  const char* id;  // key of its zoomed range in EnergyPanel::value
  const char* unit;
  Extremes extremes;
  std::vector<PlotArea> areas{};
  std::vector<PlotCurve> curves{};
};

// Draws a diagram of this height in pixels. last: true for the lowest diagram, which has the labels
// of the time axis.
void draw_energy_diagram(Editor& editor, const EnergyDiagram& drawing, float height,
                         float label_width, bool last);

}  // namespace torsor::editor
