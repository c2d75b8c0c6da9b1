#pragma once
// What the panel of energy is drawn with: lines of named numbers, and diagrams below each other.

#include <string>
#include <vector>

#include "editor/plot/plot.hpp"

namespace torsor::editor {

class Editor;

// Words with numbers beside each other, in as many lines as it takes.
class NumberLine {
 public:
  NumberLine();
  // swatch: null for none. The hint is a tooltip.
  void add(const ImVec4* swatch, const std::string& name, const std::string& value, const std::string& hint);

 private:
  float right_;
  bool first_ = true;
};

// A diagram with its curves, as high as told; the last one has the labels of time.
struct EnergyDiagram {
  const char* id;  // of its zoomed values in the panel
  const char* unit;
  Extremes extremes;
  std::vector<PlotArea> areas{};
  std::vector<PlotCurve> curves{};
};

void draw_energy_diagram(Editor& editor, const EnergyDiagram& drawing, float height, float label_width,
                         bool last);

}  // namespace torsor::editor
