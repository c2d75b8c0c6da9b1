#include "editor/panels/controllers/controllers.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/controllers/tracking.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/parameter_rows.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/handles/force.hpp"
#include "torsor/handles/trajectory.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

std::vector<std::string> controlled_names(const Scene& scene) {
  std::vector<std::string> out;
  const Load& load = scene.experiment.load;
  for (const Control& control : load.controls) out.push_back(full_name(scene.model(), control));
  for (const auto& force : load.forces) out.push_back(force->id());
  return out;
}

std::string error_signal(const Editor& editor, const Control& control) {
  return full_name(editor.model(), control) + ".error";
}

std::string actual_signal(const Editor& editor, const Control& control) {
  return editor.model().robots[size_t(control.robot)].name + ".q";
}

void ControllersPanel::begin_frame(Editor& editor) {
  if (now_ && now_->scene != editor.now->scene) {  // release the plugins of the last scene
    now_.reset();
    law_.reset();
  }
  sampled_ = std::exchange(drawn_, false);
}

std::vector<std::string> ControllersPanel::wanted_signals(const Editor& editor) {
  const std::vector<Control>& controls = editor.scene().experiment.load.controls;
  if (!sampled_ || chosen >= controls.size()) return {};
  std::vector<std::string> out{actual_signal(editor, controls[chosen])};
  if (const std::string error = error_signal(editor, controls[chosen]);
      editor.panel<PlotsPanel>().catalogue.find(error))
    out.push_back(error);
  return out;
}

const Tracking& ControllersPanel::tracked(Editor& editor, size_t control) {
  if (now_ == editor.now && tracked_control_ == control) return tracking_;
  now_ = editor.now;
  tracked_control_ = control;
  return tracking_ = tracking(editor.probe, active_load(editor).controls[control], control);
}

const std::vector<PlotLine>& ControllersPanel::references(const Editor& editor, size_t k) {
  const double end = end_time(editor);
  const Control& control = active_load(editor).controls[k];
  if (law_ == control.law && end_ == end) return references_;
  law_ = control.law;
  end_ = end;
  references_.clear();
  constexpr int points = 400;
  std::vector<double> times;
  for (int i = 0; i <= points; ++i) times.push_back(end * i / points);
  try {
    const auto values = reference_over(editor.model(), control, times);
    references_.resize(values[0].size());
    for (size_t i = 0; i < times.size(); ++i)
      for (size_t n = 0; n < values[i].size(); ++n)
        references_[n].points.push_back({times[i], values[i][n]});
  } catch (const std::exception&) {  // the table of tracking shows the error
  }
  return references_;
}

const Load& active_load(const Editor& editor) {
  return editor.probe.simulation().load();
}

namespace {

std::vector<std::string> parameters(const Editor& editor, const std::string& of) {
  const Load& load = active_load(editor);
  const size_t k = editor.panel<ControllersPanel>().chosen;
  if (k >= load.controls.size()) return {};
  const ControlLaw& law = *load.controls[k].law;
  if (of == "law")
    if (const auto* plugin = dynamic_cast<const ControllerLaw*>(&law))
      return names_of(plugin->controller().settings());
  if (const ReferenceLaw* reference = law.reference();
      reference && reference->trajectory() && of == "reference")
    return names_of(reference->trajectory()->settings());
  return {};
}

}  // namespace

std::optional<std::vector<std::string>> ControllersPanel::candidates(Editor& editor, const Action&,
                                                                     std::string_view word,
                                                                     const Arguments& before) {
  if (!editor.has_scene()) return std::nullopt;
  if (word == "CONTROL") return controlled_names(editor.scene());
  if (word == "PARAMETER") return parameters(editor, before.text(0, ""));
  if (word == "ENTRY" && chosen < active_load(editor).controls.size())
    return names_of(tracked(editor, chosen).entries);
  return std::nullopt;
}

namespace {

void choose(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::vector<std::string> names = controlled_names(editor.scene());
  const std::string& name = arguments.text(0, "CONTROL");
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(
        fmt::format("there is no controller or force '{}'{}", name, did_you_mean(name, names)));
  editor.panel<ControllersPanel>().chosen = size_t(found - names.begin());
}

// Sets a parameter of the selected controller ("law") or of its trajectory ("reference").
void set(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const Load& load = active_load(editor);
  const size_t k = editor.panel<ControllersPanel>().chosen;
  if (k >= load.controls.size())
    throw Error("no controller is selected; change the parameters of forces in the scene file");
  const std::string& of = arguments.text(0, "law|reference");
  const torsor_descriptor* descriptor = nullptr;
  if (const auto* law = dynamic_cast<const ControllerLaw*>(load.controls[k].law.get());
      law && of == "law")
    descriptor = &law->controller().descriptor();
  if (const ReferenceLaw* reference = load.controls[k].law->reference();
      reference && reference->trajectory() && of == "reference")
    descriptor = &reference->trajectory()->descriptor();
  if (!descriptor)
    throw Error(fmt::format("the selected controller has no plugin for its '{}'", of));
  const std::string& name = arguments.text(1, "PARAMETER");
  std::vector<std::string> names;
  for (const torsor_param& row : parameter_rows(*descriptor)) {
    names.emplace_back(row.name);
    if (name != row.name) continue;
    return editor.session.post(
        command::Edit{editor.now->scene,
                      command::SetParameter{controlled_names(editor.scene())[k],
                                            of == "law" ? command::SetParameter::Of::law
                                                        : command::SetParameter::Of::reference,
                                            {name, read_value(row, arguments.text(2, "VALUE"))}},
                      arguments.has(3, "continued")});
  }
  throw Error(
      fmt::format("{} has no parameter '{}'{}", descriptor->id, name, did_you_mean(name, names)));
}

void draw_entry(Editor& editor, const Arguments& arguments) {
  ControllersPanel& panel = editor.panel<ControllersPanel>();
  need_scene(editor);
  if (panel.chosen >= active_load(editor).controls.size())
    throw Error("no controller is selected; select one first");
  std::vector<std::string> names;
  for (const Tracked& entry : panel.tracked(editor, panel.chosen).entries)
    names.push_back(entry.name);
  const std::string& name = arguments.text(0, "ENTRY");
  if (std::ranges::find(names, name) == names.end())
    throw Error(fmt::format("the selected controller has no entry '{}'{}", name,
                            did_you_mean(name, names)));
  panel.entry = name;
}

constexpr Action controllers_action_rows[] = {
    {"control.choose", "Select a controller (ROBOT.CONTROL) or a force", "CONTROL", choose},
    {"control.set", "Set a parameter of the selected controller or of its trajectory",
     "law|reference PARAMETER VALUE [continued]", set},
    {"control.draw", "Plot a tracked entry over time", "ENTRY", draw_entry},
};

void draw_choice(Editor& editor, const std::vector<std::string>& names) {
  ControllersPanel& panel = editor.panel<ControllersPanel>();
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##control", names[panel.chosen].c_str())) return;
  for (size_t k = 0; k < names.size(); ++k)
    if (ImGui::Selectable(names[k].c_str(), k == panel.chosen))
      try_action(editor, "control.choose", {names[k]});
  ImGui::EndCombo();
}

std::string control_text(const Control& control) {
  std::string out =
      control.period > 0 ? fmt::format("{:.6g} Hz", 1 / control.period) : "continuous-time";
  out += control.of_motors ? ", measures motors" : ", measures joints";
  if (!control.sensor.is_exact()) out += " with sensor errors";
  if (!control.source.empty()) out += "; " + control.source;
  return out;
}

void wrapped(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
  draw_wrapped_text(text);
  ImGui::PopStyleColor();
}

// Edits a parameter. All changes during one drag of its widget form one edit.
void make_edit(Editor& editor, const char* of, const std::optional<SettingEdit>& edit) {
  std::string& held = editor.panel<ControllersPanel>().held;
  if (edit) {
    const bool continued = held == edit->name;
    held = edit->name;
    continued ? try_action(editor, "control.set", {of, edit->name, edit->text, "continued"})
              : try_action(editor, "control.set", {of, edit->name, edit->text});
  }
  if (!ImGui::IsAnyItemActive()) held.clear();
}

std::vector<std::string> frame_names(const Model& model) {
  std::vector<std::string> out;
  for (const Frame& frame : model.frames) out.push_back(frame.name);
  return out;
}

void draw_reference(Editor& editor, const ReferenceLaw& reference) {
  const std::string what = reference.of_frame ? "for a frame" : "for the joints";
  if (!ImGui::CollapsingHeader("Reference", ImGuiTreeNodeFlags_DefaultOpen)) return;
  if (!reference.motion) return wrapped("A fixed position or a function of time, " + what);
  if (!reference.trajectory())
    return wrapped(fmt::format("A sequence of trajectories, {} for {:g} s", what,
                               reference.motion->duration()));
  const Trajectory& trajectory = *reference.trajectory();
  wrapped(fmt::format("{} {}, {} for {:g} s", trajectory.id(), trajectory.descriptor().version,
                      what, trajectory.duration()));
  ImGui::PushID("reference");
  const auto edit = draw_settings(trajectory.descriptor(), trajectory.settings(), true,
                                  frame_names(trajectory.model()));
  ImGui::PopID();
  make_edit(editor, "reference", edit);
}

void draw_control(Editor& editor, size_t k) {
  const Control& control = active_load(editor).controls[k];
  const auto* law = dynamic_cast<const ControllerLaw*>(control.law.get());
  wrapped(
      (law ? fmt::format("{} {}, ", law->controller().id(), law->controller().descriptor().version)
           : std::string("Lua function, ")) +
      control_text(control));
  if (law && ImGui::CollapsingHeader("Parameters", ImGuiTreeNodeFlags_DefaultOpen)) {
    make_edit(editor, "law",
              draw_settings(law->controller().descriptor(), law->controller().settings(), true,
                            frame_names(law->controller().model())));
    wrapped(fmt::format("Model evaluated by {}",
                        without_kind(law->controller().dynamics().solver_id())));
    if (!law->controller().note().empty()) wrapped(law->controller().note());
  }
  if (const ReferenceLaw* reference = control.law->reference()) draw_reference(editor, *reference);
  draw_tracking(editor, k);
}

void draw_force(const Force& force) {
  wrapped(fmt::format("{} {}: {}{}", force.id(), force.descriptor().version,
                      force.descriptor().summary, force.is_contact() ? " (contact)" : ""));
  if (ImGui::CollapsingHeader("Parameters", ImGuiTreeNodeFlags_DefaultOpen))
    (void)draw_settings(force.descriptor(), force.settings());
}

}  // namespace

void ControllersPanel::draw(Editor& editor) {
  const std::vector<std::string> names = controlled_names(editor.scene());
  if (names.empty()) return dim_text("No controllers or forces in this scene.");
  drawn_ = true;
  chosen = std::min(chosen, names.size() - 1);
  draw_choice(editor, names);
  ImGui::BeginChild("chosen");
  const Load& load = active_load(editor);
  if (chosen < load.controls.size())
    draw_control(editor, chosen);
  else
    draw_force(*load.forces[chosen - load.controls.size()]);
  ImGui::EndChild();
}

std::span<const Action> ControllersPanel::actions() {
  return controllers_action_rows;
}

}  // namespace torsor::editor
