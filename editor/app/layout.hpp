#pragma once
// Draws the complete window in ImGui: menus, panes, time line, dialogs and toasts.

namespace torsor::editor {

class Editor;

void draw_window(Editor& editor);
void draw_help(Editor& editor);
// Runs the actions whose keys were pressed.
void handle_shortcuts(Editor& editor);

}  // namespace torsor::editor
