#pragma once
// The whole window as ImGui draws it: menus, panes, the time line below, the overlay of keys.

namespace torsor::editor {

class Editor;

void draw_window(Editor& editor);
// The strip at the bottom; it is always there.
void draw_time_strip(Editor& editor);
void draw_help(Editor& editor);
// Runs the actions whose keys were pressed.
void handle_shortcuts(Editor& editor);

}  // namespace torsor::editor
