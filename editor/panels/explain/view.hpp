#pragma once
// Shows the current step of the Explain panel in the 3D view.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

class Editor;

// The functions below show the step only while the Explain panel is the front tab of its pane and
// shows a recursion. Otherwise they change nothing, except explained_toggles().

// Returns the highlight `otherwise`, with the link of the step as its link if a step is shown.
Highlight explained_highlight(Editor& editor, const Highlight& otherwise);
// Returns the toggles of the view. While a step is shown, wrenches, reactions, twists and inertias
// are off. While the panel shows the constraints, closures and their wrenches are on. While it
// shows the contacts, these are on.
ViewToggles explained_toggles(const Editor& editor);
// Adds the quantity that the step computes to the drawing.
void add_explanation(Editor& editor, const Palette& palette, Drawing& drawing);

}  // namespace torsor::editor
