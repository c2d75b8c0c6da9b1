#pragma once

#include <vector>

#include "editor/actions/action.hpp"
#include "editor/panels/plots/diagrams.hpp"

namespace torsor::editor {

// An action that a button of a legend requests. It runs after all plots are drawn, because it may
// change them.
struct RequestedAction {
  const char* action;
  Arguments arguments;
};

// Draws the legend of a diagram. first is true for the first diagram of a plot.
void draw_legend(Editor& editor, const Diagram& diagram, bool first,
                 std::vector<RequestedAction>& requested);
// Returns the number of lines of the legend. over_signal: true for a phase portrait.
int legend_lines(const Diagram& diagram, bool first, bool over_signal);

}  // namespace torsor::editor
