#pragma once

#include <vector>

#include "editor/app/action.hpp"
#include "editor/panels/plots/diagrams.hpp"

namespace torsor::editor {

// An action of a button, run when all is drawn: it may change what is being drawn.
struct Asked {
  const char* action;
  Arguments arguments;
};

// first: it is the plot's first diagram.
void draw_legend(Editor& editor, const Diagram& diagram, bool first, std::vector<Asked>& asked);
int legend_lines(const Diagram& diagram, bool first, bool over_signal);

}  // namespace torsor::editor
