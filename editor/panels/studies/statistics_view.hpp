#pragma once
// The statistics of the selected outcome.

namespace torsor::editor {

class Editor;
struct StudiesPanel;

void draw_study_statistics(Editor& editor, StudiesPanel& panel);

}  // namespace torsor::editor
