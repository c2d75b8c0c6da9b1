#pragma once

#include <string>

namespace torsor::editor {

class Editor;
struct ConstraintSolvers;

// Draws the choice of the constraint solver, and a comparison of all constraint solvers, unless it
// is null.
void draw_constraint_solvers(Editor& editor, const ConstraintSolvers* compared);
// Returns one line per solver and per pair of solvers.
std::string comparison_text(const ConstraintSolvers& solvers);

}  // namespace torsor::editor
