#pragma once
// The panes of the window: an upper and a lower pane in each of three columns. The open panels of a
// pane are its tabs. Only the front tab is drawn.

#include <imgui.h>

#include "editor/app/settings.hpp"

namespace torsor::editor {

class Editor;
struct PanelRow;

// Returns the state of a panel in the settings. If the settings lack the panel, adds it as open, in
// the pane of its row.
Settings::Panel& state_of(Settings& settings, const PanelRow& row);
// Returns the front panel of a pane, or null if no panel is open in it.
const PanelRow* front_panel(Settings& settings, Pane pane);
bool in_front(Settings& settings, const PanelRow& row);
// Opens a panel and brings it to the front of its pane.
void bring_to_front(Settings& settings, const PanelRow& row);

// Draws all panes and the bars between them into a rectangle of the window.
void draw_panes(Editor& editor, ImVec2 at, ImVec2 size);

}  // namespace torsor::editor
