#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_solvers_panel(Editor&);
void draw_solvers_panel(Editor&) {}
std::span<const Action> solvers_actions();
std::span<const Action> solvers_actions() {
  return {};
}

}  // namespace torsor::editor
