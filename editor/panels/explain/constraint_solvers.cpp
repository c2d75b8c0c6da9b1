// Draws the choice and the comparison of constraint solvers in the Explain panel.

#include "editor/panels/explain/constraint_solvers.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "editor/actions/action.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/solvers/solvers.hpp"
#include "editor/probe/constraint_step.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::editor {

namespace {

constexpr ImGuiTableFlags comparison_table =
    ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings;

void draw_choice(Editor& editor) {
  const std::string active(without_kind(editor.now->constraint_solver().id));
  ImGui::SetNextItemWidth(std::min(scaled(190), 0.6f * ImGui::GetContentRegionAvail().x));
  if (ImGui::BeginCombo("##constraint solver", active.c_str())) {
    for (const SolverChoice& choice : editor.scene().constraint_solvers) {
      const std::string name(without_kind(choice.id));
      ImGui::BeginDisabled(!choice.rejection.empty());
      if (ImGui::Selectable(name.c_str(), name == active) && name != active)
        try_action(editor, "explain.constraint_solver", {name});
      ImGui::EndDisabled();
      if (!choice.rejection.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        ImGui::SetTooltip("Does not support this model: %s", choice.rejection.c_str());
    }
    ImGui::EndCombo();
  }
  tooltip("The constraint solver of the run from this time on");
  ImGui::SameLine(0, scaled(4));
  action_button(editor, "Compare", "explain.compare");
}

void cells(std::initializer_list<std::string> texts) {
  ImGui::TableNextRow();
  for (const std::string& text : texts) {
    ImGui::TableNextColumn();
    clipped_text(text, ImGui::GetContentRegionAvail().x);
  }
}

std::string pair_name(const ConstraintSolvers& solvers, const ConstraintComparison::Pair& pair) {
  return fmt::format("{} and {}", without_kind(solvers.ids[size_t(pair.a)]),
                     without_kind(solvers.ids[size_t(pair.b)]));
}

void draw_solvers(const ConstraintSolvers& solvers) {
  if (!ImGui::BeginTable("solvers", 5, comparison_table)) return;
  for (const char* column : {"Solver", "Residual", "At bounds", "Iterations", "µs"})
    ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  for (size_t k = 0; k < solvers.ids.size(); ++k) {
    const ConstraintComparison::Result& result = solvers.comparison.results()[k];
    cells({std::string(without_kind(solvers.ids[k])), fmt::format("{:.1e}", result.laws.residual),
           fmt::format("{}", result.at_bounds), fmt::format("{}", result.iterations),
           microseconds_text(result.ns)});
    tooltip(result.failure);
  }
  ImGui::EndTable();
}

void draw_pairs(const ConstraintSolvers& solvers) {
  if (!ImGui::BeginTable("pairs", 3, comparison_table)) return;
  for (const char* column : {"Difference", "of lambda", "of G lambda"})
    ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  for (const ConstraintComparison::Pair& pair : solvers.comparison.pairs())
    cells({pair_name(solvers, pair), fmt::format("{:.1e}", pair.lambda),
           fmt::format("{}{:.1e}", pair.differ() ? "≠" : "=", pair.w)});
  ImGui::EndTable();
  tooltip(fmt::format(
      "Relative to the largest rate, with rows scaled to G_ii = 1. =: at most {:.0e}. ≠: the "
      "solvers disagree. The multipliers of redundant rows are not unique; G lambda is.",
      ConstraintComparison::agreement));
}

}  // namespace

void draw_constraint_solvers(Editor& editor, const ConstraintSolvers* compared) {
  draw_choice(editor);
  if (!compared) return;
  const ConstraintSolvers& solvers = *compared;
  if (!solvers.failure.empty()) return draw_wrapped_text(solvers.failure);
  dim_text(fmt::format("All constraint solvers at t = {:.6g} s", solvers.time));
  draw_solvers(solvers);
  if (!solvers.comparison.pairs().empty()) draw_pairs(solvers);
}

std::string comparison_text(const ConstraintSolvers& solvers) {
  if (!solvers.failure.empty()) return solvers.failure + "\n";
  std::string out;
  for (size_t k = 0; k < solvers.ids.size(); ++k) {
    const ConstraintComparison::Result& result = solvers.comparison.results()[k];
    out += fmt::format("{}: residual {:.1e}, {} rows at bounds, {} iterations{}{}\n",
                       solvers.ids[k], result.laws.residual, result.at_bounds, result.iterations,
                       result.failure.empty() ? "" : "; ", result.failure);
  }
  for (const ConstraintComparison::Pair& pair : solvers.comparison.pairs())
    out += fmt::format("{}: differ by {:.1e} in lambda, {:.1e} in G lambda{}\n",
                       pair_name(solvers, pair), pair.lambda, pair.w,
                       pair.differ() ? ", more than allowed" : "");
  return out;
}

}  // namespace torsor::editor
