#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_plots_panel(Editor&);
void draw_plots_panel(Editor&) {}
std::span<const Action> plots_actions();
std::span<const Action> plots_actions() {
  return {};
}

}  // namespace torsor::editor
