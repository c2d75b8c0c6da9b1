#include "editor/dialogs/hang_notice.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

void draw_hang_notice(Editor& editor) {
  if (editor.hanging_call.empty()) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(
      {viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->WorkPos.y + scaled(8)},
      ImGuiCond_Always, {0.5f, 0});
  ImGui::Begin("##hang", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::TextUnformatted(fmt::format("{} has not returned for some seconds; the run waits for it.",
                                     editor.hanging_call)
                             .c_str());
  if (ImGui::Button("End and reopen")) try_action(editor, "window.reopen", {});
  tooltip("Ends this process and opens the window again. The run is restored from its journal.");
  ImGui::End();
}

}  // namespace torsor::editor
