#pragma once
// The whole window as ImGui draws it: menus, panes in three columns, the time line below, the overlay of keys.

#include "editor/app/settings.hpp"

namespace torsor::editor {

class Editor;
struct Panel;

// What the settings say of a panel; before they say anything, what its row does.
Settings::Pane& pane_of(Settings& settings, const Panel& row);

void draw_window(Editor& editor);
// The strip at the bottom; it is always there.
void draw_time_strip(Editor& editor);
void draw_help(Editor& editor);
// Runs the actions whose keys were pressed.
void handle_shortcuts(Editor& editor);

}  // namespace torsor::editor
