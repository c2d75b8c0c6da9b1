#pragma once
// The diagrams of a study: histogram, scatter and bands.

namespace torsor::editor {

class Editor;
struct StudiesPanel;

// Draws the buttons and lists that select the diagram and its columns.
void draw_diagram_choice(Editor& editor, StudiesPanel& panel);
// Draws the diagram into the current ImGui window.
void draw_diagram(Editor& editor, StudiesPanel& panel);

}  // namespace torsor::editor
