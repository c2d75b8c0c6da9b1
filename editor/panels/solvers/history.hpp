#pragma once
// Draws the comparison of solvers over the run.

#include "editor/probe/solver_watch.hpp"

namespace torsor::editor {

class Editor;

// Draws the largest disagreements of the solvers and the times of their calls, on logarithmic axes.
void draw_solver_history(Editor& editor, const SolverWatch& watch);

}  // namespace torsor::editor
