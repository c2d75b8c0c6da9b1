#pragma once
// Shows the step of the explain panel in the 3D view.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

class Editor;

// While the panel is in front, the functions below show its step. Otherwise they change nothing.

// Returns the highlight of the body of the step, or else `otherwise`.
Highlight explained_highlight(Editor& editor, const Highlight& otherwise);
// Returns the toggles of the view, without other wrenches and motions than those of the step.
ViewToggles explained_toggles(const Editor& editor);
// Adds the quantity of the step to the drawing.
void add_explanation(Editor& editor, const Palette& palette, Drawing& drawing);

}  // namespace torsor::editor
