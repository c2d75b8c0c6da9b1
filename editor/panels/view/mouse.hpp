#pragma once
// Handles the mouse in the 3D view.

#include <imgui.h>

namespace torsor::editor {

class Editor;

// Handles the mouse for the last item, the picture. `at` is its corner on the screen. The mouse
// turns, moves and zooms the camera, selects parts, and pulls with Ctrl.
void handle_view_mouse(Editor& editor, ImVec2 at, ImVec2 size);

}  // namespace torsor::editor
