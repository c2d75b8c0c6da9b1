#pragma once
// The notice about a plugin call that does not return. The window still works, but the run waits.

namespace torsor::editor {

class Editor;

// Draws the notice over the panels while a plugin call blocks the run.
void draw_hang_notice(Editor& editor);

}  // namespace torsor::editor
