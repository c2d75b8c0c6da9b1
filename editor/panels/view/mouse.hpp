#pragma once
// Handles the mouse in the 3D view.

#include <imgui.h>

namespace torsor::editor {

class Editor;

// Handles the mouse on the last ImGui item, the picture. `at` is its upper left corner on the
// screen. The mouse orbits, pans and zooms the camera and selects links. Ctrl and drag pulls a
// link; Ctrl, Shift and drag moves it by its joints.
void handle_view_mouse(Editor& editor, ImVec2 at, ImVec2 size);

}  // namespace torsor::editor
