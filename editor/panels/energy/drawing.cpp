#include "editor/panels/energy/drawing.hpp"

#include "editor/app/editor.hpp"
#include "editor/panels/energy/energy.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

void draw_energy_diagram(Editor& editor, const EnergyDiagram& drawing, float height,
                         float label_width, bool last) {
  EnergyPanel& panel = editor.panel<EnergyPanel>();
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
