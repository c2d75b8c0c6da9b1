// The inspector panel: the values of the selection with units and frames, and sliders that edit the
// run.

#include "editor/panels/inspector/inspector.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/edits/position.hpp"
#include "editor/panels/inspector/joint_sliders.hpp"
#include "editor/probe/closure_report.hpp"
#include "editor/probe/joint_report.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/simulation.hpp"
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

// Begins a table of names and values. The column of names is as wide as the longest name.
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

// Shows the pose and the twist of a frame.
void frame_values(const Editor& editor, const Frame& frame) {
  const State& state = editor.probe.state();
  const Pose<double> X_WF = frame_pose(state, frame);
  const Quaternion q = quaternion(X_WF.R);
  const Twist<double> V_WF_F = frame_twist(state, frame);
  value_row("Position", text(X_WF.p), "m");
  tooltip("Position of the frame's origin, in the world.");
  value_row("Quaternion", fmt::format("{:.4g}, {:.4g}, {:.4g}, {:.4g}", q.w, q.x, q.y, q.z));
  tooltip("Orientation in the world: w, x, y, z.");
  value_row("Angular velocity", text(V_WF_F.w), "rad/s");
  tooltip("In the frame's own axes.");
  value_row("Velocity", text(V_WF_F.v), "m/s");
  tooltip("Velocity of the frame's origin, in the frame's own axes.");
}

// --- values of each kind of selection ------------------------------------------------------------

void world(Editor& editor) {
  const Experiment& experiment = editor.scene().experiment;
  const Simulation& simulation = editor.probe.simulation();
  const Snapshot& now = editor.now->state;
  selection_heading("World", "");
  if (begin_values("values")) {
    value_row("Gravity", text(experiment.gravity_W), "m/s^2");
    const Energy energy = simulation.energy();
    value_row("Kinetic energy", text(energy.kinetic), "J");
    value_row("Potential energy", text(energy.potential), "J");
    value_row("Elastic energy", text(energy.elastic), "J");
    tooltip("Energy stored in springs and in forces.");
    for (int k = 0; k < n_works; ++k) {
      if (now[Work(k)] == 0) continue;
      value_row(fmt::format("Work of {}", name(Work(k))).c_str(), text(now[Work(k)]), "J");
      tooltip("Work done on the robots since the start; negative if energy is removed.");
    }
    if (!editor.scene().recording) {  // recordings do not contain the works
      value_row("Energy error", text(ledger_error(energy, now)), "J");
      tooltip("Change of energy not explained by work: the integrator's error.");
    }
    value_row("State hash", fmt::format("{:016x}", state_hash(now)));
    tooltip("Equal hashes mean states that are equal bit for bit.");
    if (const Line modes = mode_report(simulation); !modes.value.empty()) line_row(modes);
    ImGui::EndTable();
  }
  ImGui::Spacing();
  draw_joint_sliders(editor, 0, editor.model().n_v);
}

void robot(Editor& editor, const Robot& robot) {
  selection_heading("Robot", robot.name);
  double mass = 0;
  for (int k = robot.first_link; k < robot.first_link + robot.n_link; ++k)
    mass += editor.model().links[size_t(k)].inertia_L.m;
  if (begin_values("values")) {
    value_row("Links", fmt::format("{}", robot.n_link));
    value_row("Joints", fmt::format("{} ({} dof)", robot.n_joint, robot.n_v));
    value_row("Mass", text(mass), "kg");
    ImGui::EndTable();
  }
  ImGui::Spacing();
  draw_joint_sliders(editor, robot.first_v, robot.n_v);
}

void link(Editor& editor, const Link& link) {
  selection_heading("Link", link.name);
  if (!begin_values("values")) return;
  const Model& model = editor.model();
  value_row("Parent",
            link.parent >= 0 ? model.links[size_t(link.parent)].name : "base of the robot");
  if (!link.joint.empty()) value_row("Joint", link.joint);
  const SpatialInertia<double>& I = link.inertia_L;
  value_row("Mass", text(I.m), "kg");
  if (I.m > 0) {
    const Vec3<double> com = (1 / I.m) * I.h;
    value_row("Centre of mass", text(com), "m");
    tooltip("In the link's frame.");
    const PrincipalInertia principal = principal_inertia(I);
    value_row("Principal inertia",
              fmt::format("{:.4g}, {:.4g}, {:.4g}", principal.moments[0], principal.moments[1],
                          principal.moments[2]),
              "kg m^2");
    tooltip("Principal moments of inertia about the centre of mass.");
  }
  if (link.grouped) value_row("Parameters", "grouped");
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
    value_row("Kind", std::string(kind.name));
    value_row("Child link", model.links[size_t(model.child_link(joint))].name);
    if (kind.user_pitch) value_row("Pitch", text(model.pitch[size_t(joint.body)]), "m/rad");
    const std::string range = limits(joint.lower, joint.upper);
    value_row("Limits", range,
              range == "none" ? "" : std::string(kind.coordinates[0].unit).c_str());
    for (const Line& line :
         joint_report(editor.probe.simulation(), editor.probe.joint_forces(), joint))
      line_row(line);
    ImGui::EndTable();
  }
  ImGui::Spacing();
  draw_joint_sliders(editor, joint);
}

void frame(Editor& editor, const Frame& frame) {
  selection_heading("Frame", frame.name);
  if (!begin_values("values")) return;
  frame_values(editor, frame);
  ImGui::EndTable();
}

void closure(Editor& editor, int closure) {
  selection_heading("Closure", editor.model().closures.at(size_t(closure)).name);
  if (!begin_values("values")) return;
  for (const Line& line :
       closure_report(editor.probe.state(), closure, editor.probe.closure_wrenches()))
    line_row(line);
  ImGui::EndTable();
}

void plugin(const PluginInfo& plugin) {
  selection_heading("Plugin", plugin.id);
  if (begin_values("values")) {
    value_row("Version", plugin.version);
    value_row("ABI", fmt::format("{}.{}", plugin.abi_major, plugin.abi_minor));
    value_row("Robot family", plugin.family.empty() ? "any" : plugin.family);
    ImGui::EndTable();
  }
  draw_wrapped_text(plugin.summary);
  dim_text("File");
  draw_wrapped_text(plugin.file.string());
}

void choose_sliders(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "position|velocity|torque");
  if (name == "position")
    editor.panel<InspectorPanel>().sliders = Sliders::position;
  else if (name == "velocity")
    editor.panel<InspectorPanel>().sliders = Sliders::velocity;
  else if (name == "torque")
    editor.panel<InspectorPanel>().sliders = Sliders::torque;
  else
    throw Error(
        fmt::format("there are no sliders for '{}'; use position, velocity or torque", name));
}

constexpr Action inspector_action_rows[] = {{"inspector.sliders",
                                             "Choose what the joint sliders set",
                                             "position|velocity|torque", choose_sliders}};

}  // namespace

std::span<const Action> InspectorPanel::actions() {
  return inspector_action_rows;
}

void InspectorPanel::draw(Editor& editor) {
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
    case Selection::Kind::closure:
      return closure(editor, editor.selection.index);
    case Selection::Kind::plugin:
      return plugin(editor.plugins().plugins().at(k));
  }
}

}  // namespace torsor::editor
