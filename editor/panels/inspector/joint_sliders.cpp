#include "editor/panels/inspector/joint_sliders.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>  // GetActiveID

#include <algorithm>
#include <cmath>
#include <numbers>

#include "editor/app/editor.hpp"
#include "editor/edits/position.hpp"
#include "editor/panels/inspector/inspector.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

namespace {

using Sliders = InspectorPanel::Sliders;

struct SliderRange {
  double low, high;
};

// The dof and the value of one slider.
struct SliderSetting {
  std::string name;
  std::string_view unit;
  double value;
  std::string fixed = "";  // reason why the value cannot be set, or ""
};
// Names and units of all dof, created once per frame for all sliders.
struct SliderNames {
  std::vector<Position> positions;   // [n_v]
  std::vector<std::string> columns;  // [n_v]

  explicit SliderNames(const Model& model)
      : positions(editor::positions(model)), columns(model.dof_names()) {}
};
SliderSetting setting_of(const Editor& editor, const SliderNames& names, int column, Sliders what) {
  const Model& model = editor.model();
  const SessionState& now = *editor.now;
  if (what == Sliders::position) {
    const Position& here = names.positions[size_t(column)];
    return {here.name, here.unit, position(model, now.state.q, column)};
  }
  const std::string& name = names.columns[size_t(column)];
  const char* prescribed = editor.probe.simulation().is_prescribed(column) ? "prescribed" : "";
  if (what == Sliders::velocity)
    return {name, model.dof(column).v_unit(), now.state.v[size_t(column)], prescribed};
  return {name, model.dof(column).tau_unit(), now.torque()[size_t(column)],
          model.drives[size_t(column)].passive ? "passive" : prescribed};
}

SliderRange range_of(const Joint& joint, const SliderSetting& setting, Sliders what) {
  const auto limited = [](double limit, double other) {
    return std::isfinite(limit) && limit > 0 ? limit : other;
  };
  switch (what) {
    case Sliders::position: {
      const double reach = setting.unit == "rad" ? std::numbers::pi : 1;
      return {std::isfinite(joint.lower) ? joint.lower : -reach,
              std::isfinite(joint.upper) ? joint.upper : reach};
    }
    case Sliders::velocity: {
      const double most = limited(joint.velocity_limit, setting.unit == "rad/s" ? 10 : 2);
      return {-most, most};
    }
    case Sliders::torque: {
      const double most = limited(joint.effort_limit, 100);
      return {-most, most};
    }
  }
  return {};
}

// Returns the smallest power of two by which a range must be multiplied to contain a value. low
// must be negative and high positive.
double widening(const SliderRange& range, double value) {
  double out = 1;
  while (std::isfinite(value) && (value < out * range.low || value > out * range.high)) out *= 2;
  return out;
}

// Draws a slider of a dof. If label is null, the name of the dof is to the left of the slider.
void slider(Editor& editor, const SliderNames& names, int column, Sliders what, const char* label) {
  const SliderSetting setting = setting_of(editor, names, column, what);
  InspectorPanel& panel = editor.panel<InspectorPanel>();
  SliderRange range = range_of(editor.model().joint_of_dof(column), setting, what);
  double value = setting.value;
  const ImGuiID id = ImGui::GetID(label ? label : "##value");
  const double widened = range.low < 0 && range.high > 0 ? widening(range, value) : 1;
  const double by = id == ImGui::GetActiveID() ? std::max(panel.held_reach, 1.0) : widened;
  range = {by * range.low, by * range.high};
  if (!label) {
    const float width = std::min(scaled(110), ImGui::GetContentRegionAvail().x * 0.4f);
    ImGui::AlignTextToFramePadding();
    clipped_text(setting.name, width);
    ImGui::SameLine(width + scaled(8));
    ImGui::SetNextItemWidth(-1);
  }
  const bool fixed = !setting.fixed.empty();
  const std::string number = fmt::format("%.4g {}", setting.unit);
  const std::string format = !fixed                      ? number
                             : what == Sliders::velocity ? number + ", " + setting.fixed
                                                         : setting.fixed;
  ImGui::BeginDisabled(fixed);
  const bool changed = ImGui::SliderScalar(label ? label : "##value", ImGuiDataType_Double, &value,
                                           &range.low, &range.high, format.c_str());
  ImGui::EndDisabled();
  if (ImGui::IsItemActivated()) {
    panel.drag_has_edited = false;
    panel.held_reach = by;
  }
  if (!changed || !std::isfinite(value)) return;
  const char* action = what == Sliders::position   ? "edit.position"
                       : what == Sliders::velocity ? "edit.velocity"
                                                   : "edit.torque";
  if (std::exchange(panel.drag_has_edited, true))
    try_action(editor, action, {setting.name, fmt::format("{}", value), "continued"});
  else
    try_action(editor, action, {setting.name, fmt::format("{}", value)});
}

void undo_buttons(Editor& editor) {
  ImGui::BeginDisabled(editor.now->undoable == 0);
  action_button(editor, "Undo", "edit.undo");
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::BeginDisabled(editor.now->redoable == 0);
  action_button(editor, "Redo", "edit.redo");
  ImGui::EndDisabled();
  if (editor.now->editable()) return;
  ImGui::SameLine();
  dim_text("Recordings are read-only.");
}

}  // namespace

void draw_joint_sliders(Editor& editor, int first, int count) {
  static constexpr struct {
    Sliders what;
    const char* label;
    const char* argument;
  } choices[] = {{Sliders::position, "Position", "position"},
                 {Sliders::velocity, "Velocity", "velocity"},
                 {Sliders::torque, "Torque", "torque"}};
  for (const auto& choice : choices) {
    if (ImGui::RadioButton(choice.label, editor.panel<InspectorPanel>().sliders == choice.what))
      try_action(editor, "inspector.sliders", {choice.argument});
    const float next = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + scaled(96);
    if (choice.what != Sliders::torque && next < ImGui::GetWindowContentRegionMax().x)
      ImGui::SameLine();
  }
  undo_buttons(editor);
  ImGui::BeginDisabled(!editor.now->editable());
  const SliderNames names(editor.model());
  ImGuiListClipper clipper;
  clipper.Begin(count, ImGui::GetFrameHeightWithSpacing());
  while (clipper.Step())
    for (int k = first + clipper.DisplayStart; k < first + clipper.DisplayEnd; ++k) {
      ImGui::PushID(k);
      slider(editor, names, k, editor.panel<InspectorPanel>().sliders, nullptr);
      ImGui::PopID();
    }
  ImGui::EndDisabled();
}

void draw_joint_sliders(Editor& editor, const Joint& joint) {
  undo_buttons(editor);
  const SliderNames names(editor.model());
  ImGui::BeginDisabled(!editor.now->editable());
  if (traits(joint.kind).n_v == 1) {
    ImGui::PushItemWidth(ImGui::GetContentRegionAvail().x - scaled(64));
    slider(editor, names, joint.v_index, Sliders::position, "Position");
    slider(editor, names, joint.v_index, Sliders::velocity, "Velocity");
    slider(editor, names, joint.v_index, Sliders::torque,
           editor.model().dof(joint.v_index).turns() ? "Torque" : "Force");
    ImGui::PopItemWidth();
  } else {
    for (const Sliders what : {Sliders::position, Sliders::velocity, Sliders::torque})
      for (int k = joint.v_index; k < joint.v_index + traits(joint.kind).n_v; ++k) {
        ImGui::PushID(3 * k + int(what));
        slider(editor, names, k, what, nullptr);
        ImGui::PopID();
      }
  }
  ImGui::EndDisabled();
}

}  // namespace torsor::editor
