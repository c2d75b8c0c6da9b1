#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_view_panel(Editor&);
void draw_view_panel(Editor&) {}
std::span<const Action> view_actions();
std::span<const Action> view_actions() {
  return {};
}

}  // namespace torsor::editor
