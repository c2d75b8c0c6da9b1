// The Dynamics panel: the terms of the equations of motion at the current state, from the active
// solver.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/dynamics/dynamics.hpp"
#include "editor/panels/dynamics/notes.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/bar_plot.hpp"
#include "editor/widgets/matrix_plot.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

int chosen_frame(const Editor& editor) {
  const std::vector<Frame>& frames = editor.model().frames;
  const auto found = std::ranges::find(frames, editor.panel<DynamicsPanel>().frame, &Frame::name);
  return int((found == frames.end() ? frames.end() - 1 : found) - frames.begin());
}

int chosen_column(const Editor& editor) {
  const std::vector<std::string> names = editor.model().dof_names();
  const auto found = std::ranges::find(names, editor.panel<DynamicsPanel>().column);
  return found == names.end() ? 0 : int(found - names.begin());
}

DynamicsChoice choice_of(const Editor& editor) {
  return {chosen_frame(editor), chosen_column(editor)};
}

// Returns the title, units and source of a table. Adds the time of its state if this is not the
// current time.
std::string heading(const DynamicsData& data, double now) {
  const NumberTable& table = data.table;
  const std::string units = table.units();
  return fmt::format("{}{}{}{}", table.title, units == "1" ? "" : fmt::format(" [{}]", units),
                     table.source.empty() ? "" : "; " + table.source,
                     data.time == now ? "" : fmt::format("; at {:.6g} s", data.time));
}

void show_view(Editor& editor, DynamicsView view) {
  editor.panel<DynamicsPanel>().view = view;
  editor.panel<DynamicsPanel>().last[row_of(view).group] = view;
}

void show(Editor& editor, const Arguments& arguments) {
  show_view(editor, dynamics_view(arguments.text(0, "PART")));
}

void choose_frame(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "FRAME");
  need_scene(editor);
  (void)editor.model().frame(name);
  editor.panel<DynamicsPanel>().frame = name;
  if (row_of(editor.panel<DynamicsPanel>().view).group != DynamicsGroup::frame)
    show_view(editor, DynamicsView::J);
}

size_t column_index(const Editor& editor, const std::string& name) {
  const std::vector<std::string> names = editor.model().dof_names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw Error(
        fmt::format("there is no degree of freedom '{}'{}", name, did_you_mean(name, names)));
  return size_t(found - names.begin());
}

void choose_symbol(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::string& k = arguments.text(0, "K");
  (void)column_index(editor, k);
  if (arguments.size() > 1)
    editor.panel<DynamicsPanel>().entry = {column_index(editor, arguments.text(1, "I")),
                                           column_index(editor, arguments.text(2, "J"))};
  editor.panel<DynamicsPanel>().column = k;
  show_view(editor, DynamicsView::christoffel);
}

void copy_table(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  NumberTable table =
      dynamics_table(editor.probe, editor.panel<DynamicsPanel>().view, choice_of(editor));
  table.source +=
      fmt::format("{}t = {:.9g} s", table.source.empty() ? "" : "; ", editor.now->time());
  ImGui::SetClipboardText(as_text(table, arguments.text(0, "lua|latex|csv")).c_str());
}

void choose_entry(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  editor.panel<DynamicsPanel>().entry = Cell{column_index(editor, arguments.text(0, "I")),
                                             column_index(editor, arguments.text(1, "J"))};
}

// Returns the formulae of the selected entry of a matrix, or of all entries of a vector. Returns an
// empty list if there are none.
std::vector<symbolic::EntryFormula> shown_formulae(Editor& editor) {
  DynamicsPanel& panel = editor.panel<DynamicsPanel>();
  const auto quantity = quantity_of(panel.view);
  if (!quantity) return {};
  const auto& all = panel.formulae.of(editor.probe.state(), *quantity);
  if (all.empty() || indices(*quantity) == 1) return all;
  const size_t n = size_t(editor.model().n_v);
  const Cell entry = panel.entry.value_or(Cell{0, 0});
  if (entry.row >= n || entry.column >= n) return {};
  size_t at = entry.row * n + entry.column;
  if (indices(*quantity) == 3) at = at * n + size_t(chosen_column(editor));
  return {all[at]};
}

void copy_formula(Editor& editor, const Arguments&) {
  need_scene(editor);
  std::string text;
  for (const symbolic::EntryFormula& formula : shown_formulae(editor)) text += formula.latex + "\n";
  if (text.empty())
    throw Error("there is no formula; M, C, g and b of robots with few joints have one");
  ImGui::SetClipboardText(text.c_str());
}

constexpr Action dynamics_action_rows[] = {
    {"dynamics.show", "Show a quantity of the dynamics", "PART", show},
    {"dynamics.frame", "Choose the frame of the Jacobian and of the operational-space inertia",
     "FRAME", choose_frame},
    {"dynamics.christoffel",
     "Show the Christoffel symbols of one k, and select the entry of i and j", "K [I J]",
     choose_symbol},
    {"dynamics.entry", "Select the entry of a matrix, whose formula is shown", "I J", choose_entry},
    {"dynamics.copy_formula", "Copy the formulae of the Dynamics panel as LaTeX", "", copy_formula},
    {"dynamics.copy", "Copy the table of the Dynamics panel", "lua|latex|csv", copy_table},
};

// Draws the groups as tabs, the active one underlined.
void draw_groups(Editor& editor) {
  const DynamicsGroup active = row_of(editor.panel<DynamicsPanel>().view).group;
  for (const DynamicsGroup group : dynamics_groups) {
    const float width = ImGui::CalcTextSize(label(group)).x + scaled(10);
    if (group != dynamics_groups[0]) continue_line(width, scaled(3));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight();
    if (ImGui::InvisibleButton(label(group), {width, line + scaled(4)})) {
      const auto first = std::ranges::find(dynamics_rows(), group, &DynamicsRow::group);
      const DynamicsView view =
          editor.panel<DynamicsPanel>().last.try_emplace(group, first->view).first->second;
      try_action(editor, "dynamics.show", {row_of(view).name});
    }
    const bool strong = group == active || ImGui::IsItemHovered();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddText({at.x + scaled(5), at.y},
                 strong ? ImGui::GetColorU32(ImGuiCol_Text) : color_u32(Shade::dim), label(group));
    if (group == active)
      draw.AddRectFilled({at.x + scaled(4), at.y + line + scaled(1)},
                         {at.x + width - scaled(4), at.y + line + scaled(3)},
                         color_u32(Shade::accent));
  }
}

void draw_copy(Editor& editor) {
  if (ImGui::Button("Copy as...")) ImGui::OpenPopup("copy as");
  tooltip("Copies the table with 17 digits and its units.");
  if (!ImGui::BeginPopup("copy as")) return;
  for (const auto& [title, format] : {std::pair{"Lua", "lua"}, {"LaTeX", "latex"}, {"CSV", "csv"}})
    if (ImGui::MenuItem(title)) try_action(editor, "dynamics.copy", {format});
  ImGui::EndPopup();
}

// Draws a button for each view of the active group, with line breaks as needed.
void draw_views(Editor& editor) {
  const DynamicsGroup group = row_of(editor.panel<DynamicsPanel>().view).group;
  bool first = true;
  for (const DynamicsRow& row : dynamics_rows()) {
    if (row.group != group) continue;
    if (!std::exchange(first, false)) continue_line(button_width(row.label), scaled(3));
    ImGui::PushID(row.name);
    action_choice(editor, row.label, editor.panel<DynamicsPanel>().view == row.view,
                  "dynamics.show", {row.name}, row.title);
    ImGui::PopID();
  }
  continue_line(button_width("Copy as..."), scaled(3));
  draw_copy(editor);
}

void draw_frames(Editor& editor) {
  const std::vector<Frame>& frames = editor.model().frames;
  const int chosen = chosen_frame(editor);
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##frame", frames[size_t(chosen)].name.c_str())) return;
  for (size_t k = 0; k < frames.size(); ++k)
    if (ImGui::Selectable(fmt::format("{}##{}", frames[k].name, k).c_str(), int(k) == chosen))
      try_action(editor, "dynamics.frame", {frames[k].name});
  ImGui::EndCombo();
}

void draw_columns(Editor& editor) {
  const std::vector<std::string> names = editor.model().dof_names();
  const size_t chosen = size_t(chosen_column(editor));
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##column", fmt::format("k = {}", names[chosen]).c_str())) return;
  for (size_t k = 0; k < names.size(); ++k)
    if (ImGui::Selectable(names[k].c_str(), k == chosen))
      try_action(editor, "dynamics.christoffel", {names[k]});
  ImGui::EndCombo();
}

void draw_formulae(Editor& editor, const std::vector<symbolic::EntryFormula>& formulae) {
  if (formulae.empty()) return;
  ImGui::Spacing();
  for (const symbolic::EntryFormula& formula : formulae) note(formula.text, Shade::accent);
  tooltip(symbols_of_formulae);
  if (editor.panel<DynamicsPanel>().view == DynamicsView::C)
    dim_text("C is not unique. The formula is that of newton_euler.");
  action_button(editor, "Copy LaTeX", "dynamics.copy_formula");
}

void draw_table(Editor& editor, const DynamicsData& data) {
  const NumberTable& table = data.table;
  const DynamicsView view = editor.panel<DynamicsPanel>().view;
  const std::vector<symbolic::EntryFormula> formulae = shown_formulae(editor);
  if (row_of(view).look == DynamicsLook::stacked_bars) return draw_stacked_bars(table);
  if (row_of(view).look == DynamicsLook::bars) {
    draw_bars(table);
    return draw_formulae(editor, formulae);
  }
  const bool symbols = view == DynamicsView::christoffel, selects = symbols || !formulae.empty();
  const std::optional<Cell> under =
      draw_heat_map(table, selects ? editor.panel<DynamicsPanel>().entry : std::nullopt);
  if (under && selects && ImGui::IsMouseClicked(0)) {
    const std::string &row = table.rows[under->row], &column = table.columns[under->column];
    symbols ? try_action(editor, "dynamics.christoffel",
                         {table.rows[size_t(chosen_column(editor))], row, column})
            : try_action(editor, "dynamics.entry", {row, column});
  }
  draw_formulae(editor, formulae);
  if (data.spectrum) note_spectrum(*data.spectrum, table);
  if (data.skew) note_skew(*data.skew);
  if (data.frame) note_operational(*data.frame);
  if (symbols)
    note_symbol(table, data.v, editor.panel<DynamicsPanel>().entry.value_or(Cell{0, 0}),
                chosen_column(editor));
}

}  // namespace

void DynamicsPanel::draw(Editor& editor) {
  draw_groups(editor);
  draw_views(editor);
  if (row_of(editor.panel<DynamicsPanel>().view).group == DynamicsGroup::frame) draw_frames(editor);
  if (editor.model().n_v == 0) return dim_text("No moving joints.");
  if (editor.panel<DynamicsPanel>().view == DynamicsView::christoffel) draw_columns(editor);
  DynamicsPanel& panel = editor.panel<DynamicsPanel>();
  const DynamicsData* data =
      panel.source.data(editor.now, editor.probe, panel.view, choice_of(editor));
  if (!data) return dim_text("Computing ...");
  const NumberTable& table = data->table;
  ImGui::BeginChild("table");
  note(heading(*data, editor.now->time()), Shade::dim);
  if (!data->singular.empty()) note(data->singular, Shade::warning);
  table.failure.empty() ? draw_table(editor, *data) : note(table.failure, Shade::error);
  ImGui::EndChild();
}

std::optional<std::vector<std::string>> DynamicsPanel::candidates(Editor&, const Action&,
                                                                  std::string_view word,
                                                                  const Arguments&) {
  return word == "PART" ? std::optional(names_of(dynamics_rows())) : std::nullopt;
}

std::span<const Action> DynamicsPanel::actions() {
  return dynamics_action_rows;
}

}  // namespace torsor::editor
