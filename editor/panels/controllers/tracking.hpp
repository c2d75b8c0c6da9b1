#pragma once
// Draws the tracking of a control: reference and actual values, as numbers and over time.

#include <cstddef>

namespace torsor::editor {

class Editor;

// Draws the table of a control and the diagrams of the chosen entry. control: its index in
// Load::controls.
void draw_tracking(Editor& editor, size_t control);

}  // namespace torsor::editor
