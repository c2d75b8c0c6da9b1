// The solvers panel: the active solver, the agreement of all solvers, and the times of their calls.

#include "editor/panels/solvers/solvers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/solvers/history.hpp"
#include "editor/probe/probe.hpp"
#include "editor/probe/solver_watch.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::editor {

std::string initials(std::string_view id) {
  std::string out;
  bool begin = true;
  for (const char c : without_kind(id)) {
    if (begin && std::isalnum(static_cast<unsigned char>(c)))
      out += char(std::toupper(static_cast<unsigned char>(c)));
    begin = c == '_';
  }
  return out;
}

std::string microseconds_text(double ns) {
  const double us = ns / 1000;
  return fmt::format("{:.{}f}", us, us < 0.9995 ? 3 : us < 9.995 ? 2 : us < 99.95 ? 1 : 0);
}

namespace {

void choose_active_solver(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::string& id = editor.plugins().find<Solver>(arguments.text(0, "SOLVER")).id;
  for (const SolverChoice& choice : editor.scene().solvers)
    if (choice.id == id && !choice.rejection.empty())
      throw Error(fmt::format("solver '{}' does not support this model: {}", id, choice.rejection));
  editor.session.post(command::SetSolver{id});
}

void show_solvers(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "now|history");
  if (name != "now" && name != "history")
    throw Error(fmt::format("there is no view '{}'; use now or history", name));
  editor.panel<SolversPanel>().history = name == "history";
}

void choose_timed(Editor& editor, const Arguments& arguments) {
  const std::string& wanted = arguments.text(0, "QUANTITY");
  std::vector<std::string> names;
  for (const Quantity quantity : all_quantities) {
    if (indices(quantity) == 3) continue;  // not timed
    if (wanted == name(quantity)) {
      editor.panel<SolversPanel>().timed = quantity;
      editor.panel<SolversPanel>().time.reset();
      return;
    }
    names.emplace_back(name(quantity));
  }
  throw Error(fmt::format("'{}' is not timed; use one of: {}{}", wanted, fmt::join(names, ", "),
                          did_you_mean(wanted, names)));
}

constexpr Action solvers_action_rows[] = {
    {"solver.choose", "Choose the active solver", "SOLVER", choose_active_solver},
    {"solver.reset", "Reset the comparison of solvers and their times", "",
     [](Editor& e, const Arguments&) { e.probe.reset_watch(); }},
    {"solver.show", "Show how solvers compare now or over the run", "now|history", show_solvers},
    {"solver.timed", "Show the call times of a quantity over the run", "QUANTITY", choose_timed},
};

void draw_solver_list(Editor& editor) {
  const std::string_view active = without_kind(editor.now->solver());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ImGui::GetStyle().FramePadding.x, scaled(1)});
  for (const SolverChoice& choice : editor.scene().solvers) {
    const std::string name(without_kind(choice.id));
    ImGui::BeginDisabled(!choice.rejection.empty());
    if (ImGui::RadioButton(name.c_str(), name == active) && name != active)
      try_action(editor, "solver.choose", {choice.id});
    ImGui::EndDisabled();
    if (choice.rejection.empty()) {
      ImGui::SameLine();
      dim_text(initials(choice.id));
    } else if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
      ImGui::SetTooltip("Does not support this model: %s", choice.rejection.c_str());
    }
  }
  ImGui::PopStyleVar();
}

std::string pair_text(const SolverWatch& watch, const SolverWatch::Pair& pair) {
  return fmt::format("{}–{}", initials(watch.solvers()[size_t(pair.a)].id()),
                     initials(watch.solvers()[size_t(pair.b)].id()));
}

std::string value_text(const Disagreement& d) {
  if (d.singular) return "singular";
  return std::isfinite(d.value) ? fmt::format("{:.1e}", d.value) : "none";
}

// Returns a line for each pair of solvers, with its disagreement for a quantity.
std::string pairs_text(const SolverWatch& watch, Compared quantity) {
  std::string out = description(quantity);
  for (const SolverWatch::Pair& pair : watch.pairs(quantity)) {
    out += fmt::format("\n{}  {}  {}, tolerance {:.1e}; worst {} at {:.3f} s",
                       pair_text(watch, pair), pair.now.broken() ? "≠" : "=", value_text(pair.now),
                       pair.now.allowed, value_text(pair.worst), pair.worst_time);
    if (!pair.failure.empty()) out += ": " + pair.failure;
  }
  return out;
}

void disagreement_cell(const Disagreement& d) {
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, color(d.broken() ? Shade::error : Shade::good));
  ImGui::TextUnformatted(fmt::format("{}{}", d.broken() ? "≠" : "=", value_text(d)).c_str());
  ImGui::PopStyleColor();
}

void draw_quantity(const SolverWatch& watch, Compared quantity, bool with_time) {
  using Pair = SolverWatch::Pair;
  const auto pairs = watch.pairs(quantity);
  const auto fraction_now = [](const Pair& pair) { return pair.now.fraction(); };
  const auto fraction_at_worst = [](const Pair& pair) { return pair.worst.fraction(); };
  const Pair& now = *std::ranges::max_element(pairs, {}, fraction_now);
  const Pair& worst = *std::ranges::max_element(pairs, {}, fraction_at_worst);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::Selectable(name(quantity), false, ImGuiSelectableFlags_SpanAllColumns);
  if (ImGui::IsItemHovered()) tooltip(pairs_text(watch, quantity));
  disagreement_cell(now.now);
  ImGui::TableNextColumn();
  if (now.now.value > 0) dim_text(pair_text(watch, now));
  disagreement_cell(worst.worst);
  if (with_time) ImGui::TableNextColumn();
  if (with_time && worst.worst.value > 0) dim_text(fmt::format("{:.2f} s", worst.worst_time));
}

constexpr ImGuiTableFlags solver_table = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp |
                                         ImGuiTableFlags_NoSavedSettings |
                                         ImGuiTableFlags_BordersInnerV;

void table_heading(const char* text, const char* more) {
  ImGui::Spacing();
  ImGui::TextUnformatted(text);
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
  clipped_text(more, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

void draw_agreement(const SolverWatch& watch) {
  table_heading("Agreement", "relative differences between solvers");
  tooltip(
      "The pair of solvers that differs most, for each quantity. =: the relative difference is "
      "within rounding. ≠: it is larger. Hover a row for all pairs and tolerances.");
  if (watch.solvers().size() < 2) return dim_text("Only one solver supports this model.");
  if (!watch.compared()) return dim_text("Comparing ...");
  // In a narrow panel, the time is shown only in the tooltip.
  const bool with_time = ImGui::GetContentRegionAvail().x > scaled(300);
  if (!ImGui::BeginTable("agreement", with_time ? 5 : 4, solver_table)) return;
  for (const char* column : {"", "Now", "Pair", "Worst"}) ImGui::TableSetupColumn(column);
  if (with_time) ImGui::TableSetupColumn("At");
  ImGui::TableHeadersRow();
  for (const Compared quantity : all_compared) draw_quantity(watch, quantity, with_time);
  ImGui::EndTable();
}

// Draws a column header for each solver: its name, or its initials if the name does not fit.
void draw_time_header(const SolverWatch& watch) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableNextColumn();
  for (const Solver& solver : watch.solvers()) {
    ImGui::TableNextColumn();
    const std::string name(without_kind(solver.id()));
    const bool fits = ImGui::CalcTextSize(name.c_str()).x <= ImGui::GetContentRegionAvail().x;
    ImGui::TextUnformatted(fits ? name.c_str() : initials(name).c_str());
    tooltip(name);
  }
}

void draw_times(const SolverWatch& watch) {
  table_heading("Time per call", "µs; * derived from other calls");
  if (!ImGui::BeginTable("times", 1 + int(watch.solvers().size()), solver_table)) return;
  draw_time_header(watch);
  for (const Quantity quantity : all_quantities) {
    if (indices(quantity) == 3) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row_of(quantity).symbol);
    tooltip(name(quantity));
    for (size_t k = 0; k < watch.solvers().size(); ++k) {
      ImGui::TableNextColumn();
      const double ns = watch.call_ns(int(k), quantity);
      const bool derived = watch.solvers()[k].capability(quantity) == Capability::derived;
      if (std::isnan(ns))
        dim_text("-");
      else
        ImGui::TextUnformatted((microseconds_text(ns) + (derived ? "*" : "")).c_str());
    }
  }
  ImGui::EndTable();
}

void draw_choice(Editor& editor) {
  const bool history = editor.panel<SolversPanel>().history;
  action_choice(editor, "Now", !history, "solver.show", {"now"},
                "Shows the current and the largest disagreements of solvers, and call times.");
  ImGui::SameLine(0, scaled(3));
  action_choice(editor, "Over the run", history, "solver.show", {"history"},
                "Shows disagreements and call times over the run.");
  ImGui::SameLine(0, scaled(3));
  action_button(editor, "Reset", "solver.reset");
}

}  // namespace

void SolversPanel::draw(Editor& editor) {
  draw_solver_list(editor);
  if (editor.model().n_v == 0) return dim_text("No moving joints.");
  draw_choice(editor);
  const SolverWatch& watch = editor.probe.watch_solvers();
  ImGui::BeginChild("comparison");
  if (editor.panel<SolversPanel>().history) {
    draw_solver_history(editor, watch);
  } else {
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {scaled(3), scaled(1)});
    draw_agreement(watch);
    draw_times(watch);
    ImGui::PopStyleVar();
  }
  ImGui::EndChild();
}

std::optional<std::vector<std::string>> SolversPanel::candidates(Editor&, const Action&,
                                                                 std::string_view word,
                                                                 const Arguments&) {
  if (word != "QUANTITY") return std::nullopt;
  std::vector<std::string> out;
  for (const Quantity quantity : all_quantities)
    if (indices(quantity) < 3) out.emplace_back(name(quantity));
  return out;
}

std::span<const Action> SolversPanel::actions() {
  return solvers_action_rows;
}

}  // namespace torsor::editor
