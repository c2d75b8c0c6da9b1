// Dynamics: the equations of motion of the moment in numbers, from the solver in force.

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "editor/panels/matrix_plot.hpp"

namespace torsor::editor {

void draw_dynamics_panel(Editor& editor);
std::span<const Action> dynamics_actions();

namespace {

int jacobian_frame(const Editor& editor) {
  const std::vector<Frame>& frames = editor.model().frames;
  for (size_t k = 0; k < frames.size(); ++k)
    if (frames[k].name == editor.dynamics.frame) return int(k);
  return int(frames.size()) - 1;
}

DynamicsTable shown(Editor& editor) {
  return dynamics_table(editor.probe, editor.dynamics.view, jacobian_frame(editor));
}

void show(Editor& editor, const Arguments& arguments) {
  editor.dynamics.view = dynamics_view(arguments.text(0, "NAME"));
}

void choose_frame(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "FRAME");
  if (!editor.has_scene()) throw Error("no scene is loaded");
  (void)editor.model().frame(name);
  editor.dynamics.frame = name;
  editor.dynamics.view = DynamicsView::J;
}

void copy(Editor& editor, const Arguments& arguments) {
  if (!editor.has_scene()) throw Error("no scene is loaded");
  DynamicsTable table = shown(editor);
  table.source += fmt::format("{}t = {:.9g} s", table.source.empty() ? "" : "; ", editor.now->time());
  ImGui::SetClipboardText(as_text(table, arguments.text(0, "lua|latex|csv")).c_str());
}

constexpr Action dynamics_action_rows[] = {
    {"dynamics.show", "Show a part of the dynamics", "NAME", show},
    {"dynamics.frame", "Show the Jacobian of a frame", "FRAME", choose_frame},
    {"dynamics.copy", "Copy what the dynamics panel shows", "lua|latex|csv", copy},
};

// Buttons beside each other, in as many lines as it takes.
void draw_choice(Editor& editor) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const auto same_line = [&](const char* text) {
    ImGui::SameLine(0, scaled(3));
    const float width = ImGui::CalcTextSize(text).x + 2 * style.FramePadding.x;
    if (ImGui::GetCursorPosX() + width > right) ImGui::NewLine();
  };
  for (const DynamicsView view : dynamics_views) {
    if (view != dynamics_views[0]) same_line(label(view));
    const bool active = editor.dynamics.view == view;
    if (active) ImGui::PushStyleColor(ImGuiCol_Button, style.Colors[ImGuiCol_Header]);
    ImGui::PushID(name(view));
    if (ImGui::Button(label(view))) try_action(editor, "dynamics.show", {name(view)});
    ImGui::PopID();
    if (active) ImGui::PopStyleColor();
    tooltip(legend(view));
  }
  same_line("copy");
  if (ImGui::Button("copy")) ImGui::OpenPopup("copy as");
  tooltip("what is shown, with 17 digits");
  if (!ImGui::BeginPopup("copy as")) return;
  for (const auto& [title, format] : {std::pair{"as Lua", "lua"}, {"as LaTeX", "latex"}, {"as CSV", "csv"}})
    if (ImGui::MenuItem(title)) try_action(editor, "dynamics.copy", {format});
  ImGui::EndPopup();
}

void draw_frames(Editor& editor) {
  const std::vector<Frame>& frames = editor.model().frames;
  const int chosen = jacobian_frame(editor);
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##frame", frames[size_t(chosen)].name.c_str())) return;
  for (size_t k = 0; k < frames.size(); ++k)
    if (ImGui::Selectable(fmt::format("{}##{}", frames[k].name, k).c_str(), int(k) == chosen))
      try_action(editor, "dynamics.frame", {frames[k].name});
  ImGui::EndCombo();
}

void wrapped(const std::string& text, Shade shade) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(shade));
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void draw_spectrum(Probe& probe, const DynamicsTable& M) {
  const Spectrum& spectrum = probe.mass_spectrum();
  ImGui::Spacing();
  if (!spectrum.failure.empty()) return wrapped(spectrum.failure, Shade::error);
  const std::string unit = M.common_unit();
  const double condition = spectrum.condition();
  wrapped(fmt::format("cond M = {:.4g}; eigenvalues {:.4g} ... {:.4g} {}", condition, spectrum.values.front(),
                      spectrum.values.back(), unit.empty() ? "of mixed units" : unit),
          Shade::dim);
  if (std::isfinite(condition))
    draw_log_axis(spectrum.values, unit);
  else
    wrapped("M is not positive definite", Shade::error);
}

void draw_skew(Probe& probe) {
  const SkewResidual& skew = probe.skew();
  ImGui::Spacing();
  if (!skew.failure.empty()) return wrapped(skew.failure, Shade::error);
  if (skew.step == 0) return dim_text("at rest: C v = 0, and dM/dt = 0");
  wrapped(fmt::format("{}: |A + A^T| = {:.2e} for A = dM/dt - 2C", skew.broken() ? "not skew" : "skew",
                      skew.residual),
          skew.broken() ? Shade::error : Shade::good);
  tooltip("dM/dt is not taken from C: it is the change of M along v, by differences of fourth order");
  wrapped(fmt::format("allowed {:.2e}: {:.0e} of |v|₁ |M| = {:.3g}; differences over h = {:.3g} s",
                      SkewResidual::allowed * skew.scale, SkewResidual::allowed, skew.scale, skew.step),
          Shade::dim);
}

void draw_table(Editor& editor, const DynamicsTable& table) {
  switch (table.view) {
    case DynamicsView::split:
      return draw_stacked_bars(table);
    case DynamicsView::M:
    case DynamicsView::Minv:
    case DynamicsView::C:
    case DynamicsView::J:
      draw_heat_map(table);
      break;
    default:
      return draw_bars(table);
  }
  if (table.view == DynamicsView::M) draw_spectrum(editor.probe, table);
  if (table.view == DynamicsView::C) draw_skew(editor.probe);
}

}  // namespace

void draw_dynamics_panel(Editor& editor) {
  draw_choice(editor);
  if (editor.dynamics.view == DynamicsView::J) draw_frames(editor);
  if (editor.model().n_v == 0) return dim_text("the model has no moving joint");
  const DynamicsTable table = shown(editor);
  ImGui::BeginChild("table");
  const std::string units = table.units();
  wrapped(fmt::format("{}{}{}", legend(table.view), units == "1" ? "" : ", " + units,
                      table.source.empty() ? "" : "; " + table.source),
          Shade::dim);
  table.failure.empty() ? draw_table(editor, table) : wrapped(table.failure, Shade::error);
  ImGui::EndChild();
}

std::span<const Action> dynamics_actions() {
  return dynamics_action_rows;
}

}  // namespace torsor::editor
