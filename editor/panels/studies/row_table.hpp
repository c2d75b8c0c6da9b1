#pragma once
// The table of the samples.

#include <imgui.h>

#include "torsor/study/table/study_layout.hpp"

namespace torsor::editor {

class Editor;
struct StudiesPanel;

ImVec4 status_color(SampleStatus status);
// Draws the visible rows and columns. A click selects a sample, and a double-click opens it.
void draw_row_table(Editor& editor, StudiesPanel& panel);

}  // namespace torsor::editor
