#pragma once
// Shows the current step of the Explain panel in the 3D view.

#include "editor/view/drawing.hpp"

namespace torsor::editor {

class Editor;

// The functions below show the step only while the Explain panel is the front tab of its pane.
// Otherwise they change nothing.

// Returns the highlight `otherwise`, with the link of the step as its link if a step is shown.
Highlight explained_highlight(Editor& editor, const Highlight& otherwise);
// Returns the toggles of the view. While a step is shown, wrenches, reactions, twists and inertias
// are off.
ViewToggles explained_toggles(const Editor& editor);
// Adds the quantity that the step computes to the drawing.
void add_explanation(Editor& editor, const Palette& palette, Drawing& drawing);

}  // namespace torsor::editor
