// Problems: what the scene, its checks, the plugins and the run had to say.

#include <imgui.h>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

void draw_problems_panel(Editor& editor);

void draw_problems_panel(Editor& editor) {
  const std::vector<Problem>& problems = *editor.now->problems;
  if (problems.empty()) {
    dim_text("no problems");
    return;
  }
  action_button(editor, "Clear", "problems.clear");
  ImGui::BeginChild("lines");
  for (size_t k = problems.size(); k-- > 0;) {  // the latest first
    const Problem& problem = problems[k];
    const Shade shade = problem.kind == Problem::Kind::error     ? Shade::error
                        : problem.kind == Problem::Kind::warning ? Shade::warning
                                                                 : Shade::dim;
    ImGui::PushID(int(k));
    ImGui::PushStyleColor(ImGuiCol_Text, color(shade));
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(problem.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    if (ImGui::IsItemClicked()) ImGui::SetClipboardText(problem.text.c_str());
    tooltip("a click copies it");
    ImGui::PopID();
  }
  ImGui::EndChild();
}

}  // namespace torsor::editor
