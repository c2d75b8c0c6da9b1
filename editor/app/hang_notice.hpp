#pragma once
// The notice about a call of a plugin that does not return: the window still works, but the run
// waits.

namespace torsor::editor {

class Editor;

// Draws the notice over the panels while such a call keeps the run.
void draw_hang_notice(Editor& editor);

}  // namespace torsor::editor
