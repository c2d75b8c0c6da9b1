#pragma once
// The strip below the panes, with buttons, speed and the time line.

namespace torsor::editor {

class Editor;

// Draws the strip. It is always visible.
void draw_time_strip(Editor& editor);

}  // namespace torsor::editor
