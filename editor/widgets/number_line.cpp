#include "editor/widgets/number_line.hpp"

#include <utility>

#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

NumberLine::NumberLine() : right_(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x) {}

void NumberLine::add(const ImVec4* swatch, const std::string& name, const std::string& value,
                     const std::string& hint) {
  const float square = swatch ? 0.8f * ImGui::GetTextLineHeight() + scaled(3) : 0;
  const float width = square + ImGui::CalcTextSize((name + " " + value).c_str()).x;
  if (!std::exchange(first_, false)) {
    ImGui::SameLine(0, scaled(9));
    if (ImGui::GetCursorPosX() + width > right_) ImGui::NewLine();
  }
  ImGui::BeginGroup();
  if (swatch) {
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 0.2f * line},
                                              {at.x + 0.65f * line, at.y + 0.85f * line},
                                              ImGui::ColorConvertFloat4ToU32(*swatch));
    ImGui::Dummy({0.8f * line, line});
    ImGui::SameLine(0, scaled(3));
  }
  dim_text(name);
  ImGui::SameLine(0, ImGui::CalcTextSize(" ").x);
  ImGui::TextUnformatted(value.c_str());
  ImGui::EndGroup();
  tooltip(hint);
}

}  // namespace torsor::editor
