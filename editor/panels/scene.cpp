#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_scene_panel(Editor&);
void draw_scene_panel(Editor&) {}
std::span<const Action> scene_actions();
std::span<const Action> scene_actions() {
  return {};
}

}  // namespace torsor::editor
