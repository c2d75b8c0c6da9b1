#pragma once
// The panes of the window: an upper and a lower one in each of three columns. The open panels of a pane are its tabs, of
// which one is in front; it alone is drawn.

#include <imgui.h>

#include "editor/app/settings.hpp"

namespace torsor::editor {

class Editor;
struct Panel;

// What the settings say of a panel; before they say anything, what its row does.
Settings::Panel& state_of(Settings& settings, const Panel& row);
// The one in front of a pane, or null where none is open there.
const Panel* front_panel(Settings& settings, Pane pane);
bool in_front(Settings& settings, const Panel& row);
// Opens it and brings it to the front of its pane.
void bring_to_front(Settings& settings, const Panel& row);

// All of them, with the bars between, into a part of the window.
void draw_panes(Editor& editor, ImVec2 at, ImVec2 size);

}  // namespace torsor::editor
