#pragma once

#include <vector>

#include "editor/actions/action.hpp"
#include "editor/panels/plots/diagrams.hpp"

namespace torsor::editor {

// An action of a button. It is run after all drawing, because it may change the plots.
struct Asked {
  const char* action;
  Arguments arguments;
};

// Draws the legend of a diagram. first is true for the first diagram of a plot.
void draw_legend(Editor& editor, const Diagram& diagram, bool first, std::vector<Asked>& asked);
int legend_lines(const Diagram& diagram, bool first, bool over_signal);

}  // namespace torsor::editor
