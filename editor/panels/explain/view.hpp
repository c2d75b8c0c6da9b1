#pragma once
// Shows the step of the explain panel in the 3D view.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

class Editor;

// While the Explain panel is in front, the functions below show its current step of the recursion.
// Otherwise they change nothing.

// Returns the highlight of the body of the step, or else `otherwise`.
Highlight explained_highlight(Editor& editor, const Highlight& otherwise);
// Returns the toggles of the view. While a step is shown, wrenches, reactions, twists and inertias
// are off.
ViewToggles explained_toggles(const Editor& editor);
// Adds the quantity that the step computes to the drawing.
void add_explanation(Editor& editor, const Palette& palette, Drawing& drawing);

}  // namespace torsor::editor
