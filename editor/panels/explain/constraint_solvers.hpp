#pragma once

#include <string>

namespace torsor::editor {

class Editor;
struct ConstraintSolvers;

// Draws the choice of the constraint solver, and the last comparison of all constraint solvers.
void draw_constraint_solvers(Editor& editor);
// Returns one line per solver and per pair of solvers.
std::string comparison_text(const ConstraintSolvers& solvers);

}  // namespace torsor::editor
