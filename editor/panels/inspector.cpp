// Inspector: what is selected, in numbers with units and frames; sliders that edit the run while it is paused.

#include "editor/panels/inspector.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>  // GetActiveID

#include <algorithm>
#include <cmath>
#include <numbers>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "editor/session/joint_report.hpp"
#include "editor/session/position.hpp"
#include "torsor/dynamics/kinematics.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/simulation/energy.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor {

namespace {

using Sliders = InspectorPanel::Sliders;

std::string text(double value) {
  return fmt::format("{:.5g}", value);
}
std::string text(const Vec3<double>& v) {
  return fmt::format("{:.4g}, {:.4g}, {:.4g}", v.x, v.y, v.z);
}

// The names are as wide as the longest.
bool begin_values(const char* id) {
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return false;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void line_row(const Line& line) {
  value_row(line.name.c_str(), line.value, line.unit.c_str());
  tooltip(line.help);
}

void selection_heading(const std::string& what, const std::string& name) {
  dim_text(what);
  ImGui::SameLine();
  clipped_text(name, ImGui::GetContentRegionAvail().x);
  ImGui::Separator();
}

// Where a frame is and how it moves.
void frame_values(const Editor& editor, const Frame& frame) {
  const State& state = editor.probe.state();
  const Pose<double> X_WF = frame_pose(state, frame);
  const Quaternion q = quaternion(X_WF.R);
  const Twist<double> V_WF_F = frame_twist(state, frame);
  value_row("position", text(X_WF.p), "m");
  tooltip("of its origin, in the world");
  value_row("quaternion", fmt::format("{:.4g}, {:.4g}, {:.4g}, {:.4g}", q.w, q.x, q.y, q.z));
  tooltip("w, x, y, z: its axes in the world");
  value_row("omega", text(V_WF_F.w), "rad/s");
  tooltip("angular part of its twist, in its own axes");
  value_row("v", text(V_WF_F.v), "m/s");
  tooltip("velocity of its origin, in its own axes");
}

// --- sliders ---------------------------------------------------------------------------------------------

struct SliderRange {
  double low, high;
};

// A column as a slider shows it.
struct SliderSetting {
  std::string name;
  std::string_view unit;
  double value;
  std::string fixed = "";  // why it cannot be set
};
SliderSetting setting_of(const Editor& editor, int column, Sliders what) {
  const Model& model = editor.model();
  const Moment& now = *editor.now;
  if (what == Sliders::position) {
    const Position here = positions(model)[size_t(column)];
    return {here.name, here.unit, position(model, now.state.q, column)};
  }
  const std::string name = model.column_names()[size_t(column)];
  const char* told = editor.probe.simulation().is_prescribed(column) ? "prescribed" : "";
  if (what == Sliders::velocity)
    return {name, model.column(column).v_unit(), now.state.v[size_t(column)], told};
  return {name, model.column(column).tau_unit(), now.torque()[size_t(column)],
          model.drives[size_t(column)].passive ? "passive" : told};
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

// Doubled until it has the value; the slider that is held keeps its own.
double widening(const SliderRange& range, double value) {
  double out = 1;
  while (std::isfinite(value) && (value < out * range.low || value > out * range.high)) out *= 2;
  return out;
}

// Without a label the name is written before it.
void slider(Editor& editor, int column, Sliders what, const char* label) {
  const SliderSetting setting = setting_of(editor, column, what);
  InspectorPanel& panel = editor.inspector;
  SliderRange range = range_of(editor.model().joint_of_column(column), setting, what);
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
  if (ImGui::IsItemActivated()) panel = {panel.sliders, false, by};
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
  dim_text("a recording is not edited");
}

void all_sliders(Editor& editor, int first, int count) {
  static constexpr struct {
    Sliders what;
    const char* label;
    const char* argument;
  } choices[] = {{Sliders::position, "Position", "position"},
                 {Sliders::velocity, "Velocity", "velocity"},
                 {Sliders::torque, "Torque", "torque"}};
  for (const auto& choice : choices) {
    if (ImGui::RadioButton(choice.label, editor.inspector.sliders == choice.what))
      try_action(editor, "inspector.sliders", {choice.argument});
    const float next = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + scaled(96);
    if (choice.what != Sliders::torque && next < ImGui::GetWindowContentRegionMax().x) ImGui::SameLine();
  }
  undo_buttons(editor);
  ImGui::BeginDisabled(!editor.now->editable());
  for (int k = first; k < first + count; ++k) {
    ImGui::PushID(k);
    slider(editor, k, editor.inspector.sliders, nullptr);
    ImGui::PopID();
  }
  ImGui::EndDisabled();
}

// --- what can be selected --------------------------------------------------------------------------------

void world(Editor& editor) {
  const Experiment& experiment = editor.scene().experiment;
  const Simulation& simulation = editor.probe.simulation();
  const Snapshot& now = editor.now->state;
  selection_heading("World", "");
  if (begin_values("values")) {
    value_row("gravity", text(experiment.gravity_W), "m/s^2");
    const Energy energy = simulation.energy();
    value_row("kinetic", text(energy.kinetic), "J");
    value_row("potential", text(energy.potential), "J");
    value_row("elastic", text(energy.elastic), "J");
    tooltip("of springs, and what forces keep");
    for (int k = 0; k < n_works; ++k) {
      if (now[Work(k)] == 0) continue;
      value_row(fmt::format("work of {}", name(Work(k))).c_str(), text(now[Work(k)]), "J");
      tooltip("done on the robot since the start; negative where energy is taken");
    }
    if (!editor.scene().recording) {  // which does not keep the works
      value_row("error", text(ledger_error(energy, now)), "J");
      tooltip("what the ledger lacks: the error of the integrator");
    }
    value_row("state", fmt::format("{:016x}", state_hash(now)));
    tooltip("hash of the bits of the step and the state");
    if (const Line modes = mode_report(simulation); !modes.value.empty()) line_row(modes);
    ImGui::EndTable();
  }
  ImGui::Spacing();
  all_sliders(editor, 0, editor.model().n_v);
}

void robot(Editor& editor, const Robot& robot) {
  selection_heading("Robot", robot.name);
  double mass = 0;
  for (int k = robot.first_link; k < robot.first_link + robot.n_link; ++k)
    mass += editor.model().links[size_t(k)].inertia_L.m;
  if (begin_values("values")) {
    value_row("links", fmt::format("{}", robot.n_link));
    value_row("joints", fmt::format("{}, {} columns", robot.n_joint, robot.n_v));
    value_row("mass", text(mass), "kg");
    ImGui::EndTable();
  }
  ImGui::Spacing();
  all_sliders(editor, robot.first_v, robot.n_v);
}

void link(Editor& editor, const Link& link) {
  selection_heading("Link", link.name);
  if (!begin_values("values")) return;
  const Model& model = editor.model();
  value_row("parent", link.parent >= 0 ? model.links[size_t(link.parent)].name : "the robot's base");
  if (!link.joint.empty()) value_row("joint", link.joint);
  const SpatialInertia<double>& I = link.inertia_L;
  value_row("mass", text(I.m), "kg");
  if (I.m > 0) {
    const Vec3<double> com = (1 / I.m) * I.h;
    value_row("COM", text(com), "m");
    tooltip("in the link's frame");
    const PrincipalInertia principal = principal_inertia(I);
    value_row("principal",
              fmt::format("{:.4g}, {:.4g}, {:.4g}", principal.moments[0], principal.moments[1],
                          principal.moments[2]),
              "kg m^2");
    tooltip("principal moments of inertia about the COM");
  }
  if (link.grouped) value_row("parameters", "grouped");
  frame_values(editor, model.frames[size_t(link.frame)]);
  ImGui::EndTable();
}

void joint(Editor& editor, const Joint& joint) {
  const JointTraits& kind = traits(joint.kind);
  selection_heading("Joint", joint.name);
  const Model& model = editor.model();
  if (begin_values("values")) {
    const auto limits = [](double low, double high) {
      return std::isfinite(low) || std::isfinite(high) ? fmt::format("{:.4g} to {:.4g}", low, high)
                                                       : std::string("none");
    };
    value_row("kind", std::string(kind.name));
    value_row(
        "carries", model.links.empty() ? "" : [&] {
          for (const Link& link : model.links)
            if (link.joint == joint.name) return link.name;
          return std::string();
        }());
    if (kind.user_pitch) value_row("pitch", text(model.pitch[size_t(joint.body)]), "m/rad");
    const std::string range = limits(joint.lower, joint.upper);
    value_row("limits", range, range == "none" ? "" : std::string(kind.coordinates[0].unit).c_str());
    for (const Line& line : joint_report(editor.probe.simulation(), editor.probe.joint_forces(), joint))
      line_row(line);
    ImGui::EndTable();
  }
  ImGui::Spacing();
  undo_buttons(editor);
  ImGui::BeginDisabled(!editor.now->editable());
  if (kind.n_v == 1) {
    ImGui::PushItemWidth(ImGui::GetContentRegionAvail().x - scaled(64));
    slider(editor, joint.v_index, Sliders::position, "position");
    slider(editor, joint.v_index, Sliders::velocity, "velocity");
    slider(editor, joint.v_index, Sliders::torque, model.column(joint.v_index).turns() ? "torque" : "force");
    ImGui::PopItemWidth();
  } else {
    for (const Sliders what : {Sliders::position, Sliders::velocity, Sliders::torque})
      for (int k = joint.v_index; k < joint.v_index + kind.n_v; ++k) {
        ImGui::PushID(3 * k + int(what));
        slider(editor, k, what, nullptr);
        ImGui::PopID();
      }
  }
  ImGui::EndDisabled();
}

void frame(Editor& editor, const Frame& frame) {
  selection_heading("Frame", frame.name);
  if (!begin_values("values")) return;
  frame_values(editor, frame);
  ImGui::EndTable();
}

void plugin(const PluginInfo& plugin) {
  selection_heading("Plugin", plugin.id);
  if (begin_values("values")) {
    value_row("version", plugin.version);
    value_row("ABI", fmt::format("{}.{}", plugin.abi_major, plugin.abi_minor));
    value_row("family", plugin.family.empty() ? "any" : plugin.family);
    ImGui::EndTable();
  }
  ImGui::TextWrapped("%s", plugin.summary.c_str());
  dim_text("file");
  ImGui::TextWrapped("%s", plugin.file.c_str());
}

void choose_sliders(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "position|velocity|torque");
  if (name == "position")
    editor.inspector.sliders = Sliders::position;
  else if (name == "velocity")
    editor.inspector.sliders = Sliders::velocity;
  else if (name == "torque")
    editor.inspector.sliders = Sliders::torque;
  else
    throw Error(fmt::format("there are no sliders of '{}'; there are position, velocity and torque", name));
}

constexpr Action inspector_action_rows[] = {{"inspector.sliders", "Choose what the sliders of all joints set",
                                             "position|velocity|torque", choose_sliders}};

}  // namespace

std::span<const Action> inspector_actions();
std::span<const Action> inspector_actions() {
  return inspector_action_rows;
}

void draw_inspector_panel(Editor& editor);
void draw_inspector_panel(Editor& editor) {
  const Model& model = editor.model();
  const size_t k = size_t(editor.selection.index);
  switch (editor.selection.kind) {
    case Selection::Kind::none:
      return world(editor);
    case Selection::Kind::robot:
      return robot(editor, model.robots.at(k));
    case Selection::Kind::link:
      return link(editor, model.links.at(k));
    case Selection::Kind::joint:
      return joint(editor, model.joints.at(k));
    case Selection::Kind::frame:
      return frame(editor, model.frames.at(k));
    case Selection::Kind::plugin:
      return plugin(editor.plugins().plugins().at(k));
  }
}

}  // namespace torsor::editor
