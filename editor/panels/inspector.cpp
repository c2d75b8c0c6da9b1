#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_inspector_panel(Editor&);
void draw_inspector_panel(Editor&) {}

}  // namespace torsor::editor
