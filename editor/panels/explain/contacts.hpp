#pragma once

#include <string>

namespace torsor {
struct Model;
}

namespace torsor::editor {

class Editor;
struct ContactStep;

// Draws the contacts of the next step: their equations, the points, how well the impulses satisfy
// the laws, and the comparison of the constraint solvers.
void draw_contacts_page(Editor& editor);
// Returns one line for the problem, and one per point: pair, gap, mode, forces and slip speed.
std::string contact_text(const Model& model, const ContactStep& step);

}  // namespace torsor::editor
