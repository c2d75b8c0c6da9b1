#include "editor/panels/energy_drawing.hpp"

#include <algorithm>
#include <utility>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "editor/panels/plot_diagrams.hpp"

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

void draw_energy_diagram(Editor& editor, const EnergyDiagram& drawing, float height, float label_width,
                         bool last) {
  EnergyPanel& panel = editor.energy;
  const auto zoomed = panel.value.find(drawing.id);
  const Range value = zoomed != panel.value.end() ? zoomed->second : fitted(drawing.extremes);
  const ImVec2 at = ImGui::GetCursorScreenPos(),
               size{ImGui::GetContentRegionAvail().x, height + (last ? time_label_height() : 0)};
  Plot plot = plot_over_time(editor, drawing.unit, value, {at, size, label_width, last});
  plot.value_fitted = zoomed == panel.value.end();
  plot.areas = drawing.areas;
  plot.curves = drawing.curves;
  const PlotGesture gesture = draw_plot(drawing.id, plot);
  if (gesture.value) panel.value[drawing.id] = *gesture.value;
  follow_gesture(editor, gesture);
  ImGui::SetCursorScreenPos({at.x, at.y + size.y});
}

}  // namespace torsor::editor
