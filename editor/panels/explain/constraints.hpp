#pragma once

#include <string>

namespace torsor {
struct Model;
}

namespace torsor::editor {

struct ConstraintStep;

// Draws the constraint step: its equations, the rows, the Delassus operator, the multipliers and
// the accelerations.
void draw_constraint_step(const Model& model, const ConstraintStep& step);
// Returns one line per row: name, error, bias, multiplier, and "dependent" if it is.
std::string constraint_text(const ConstraintStep& step);

}  // namespace torsor::editor
