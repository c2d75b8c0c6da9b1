#pragma once
// What the mouse does in the 3D view.

#include <imgui.h>

namespace torsor::editor {

class Editor;

// Of the item before, the picture, from its corner on the screen: turns, moves and zooms the
// camera, selects, and with Ctrl pulls.
void handle_view_mouse(Editor& editor, ImVec2 at, ImVec2 size);

}  // namespace torsor::editor
