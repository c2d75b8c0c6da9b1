#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_dynamics_panel(Editor&);
void draw_dynamics_panel(Editor&) {}
std::span<const Action> dynamics_actions();
std::span<const Action> dynamics_actions() {
  return {};
}

}  // namespace torsor::editor
