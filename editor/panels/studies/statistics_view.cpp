#include "editor/panels/studies/statistics_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/studies/studies.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

constexpr ImGuiTableFlags statistics_table =
    ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit;

std::string five_digits(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.5g}", value);
}

std::string percent(double part) {
  return fmt::format("{:.3g}", 100 * part);
}

void draw_failures(const StudyStatistics& statistics, float width) {
  if (statistics.run == 0) return dim_text("No sample has a result.");
  draw_wrapped_text(fmt::format("{} of {} runs failed: {} %", statistics.failed, statistics.run,
                                percent(double(statistics.failed) / double(statistics.run))),
                    width);
  tooltip(
      "Runs that failed or took too long. The interval contains the probability of a failure with "
      "a confidence of 95 % (Wilson)");
  dim_text(fmt::format("95 % interval {} to {} %", percent(statistics.failure.from),
                       percent(statistics.failure.to)));
}

// Draws an extreme value with a button that selects its sample.
void draw_extreme(Editor& editor, const char* name, double value, uint64_t sample) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  dim_text(name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(five_digits(value).c_str());
  ImGui::TableNextColumn();
  if (ImGui::SmallButton(fmt::format("sample {}##{}", sample, name).c_str()))
    try_action(editor, "study.select", {fmt::format("{}", sample)});
  tooltip("Select this sample");
}

void draw_number(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  dim_text(name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(value.c_str());
}

void draw_outcome_numbers(Editor& editor, const OutcomeStatistics& outcome) {
  const auto& q = outcome.quantiles;
  if (!ImGui::BeginTable("numbers", 3, statistics_table)) return;
  draw_number("values", fmt::format("{}", outcome.moments.count));
  if (outcome.not_finite > 0) draw_number("undefined", fmt::format("{}", outcome.not_finite));
  if (outcome.moments.count > 0) {
    draw_number("mean", five_digits(outcome.moments.mean));
    draw_number("deviation", five_digits(outcome.moments.deviation));
    draw_extreme(editor, "least", q[0], outcome.smallest);
    for (size_t k = 1; k + 1 < q.size(); ++k)
      draw_number(fmt::format("{:g} %", 100 * quantile_levels[k]).c_str(), five_digits(q[k]));
    draw_extreme(editor, "largest", q[6], outcome.largest);
  }
  ImGui::EndTable();
}

// Draws a bar from zero to a value. The bar has room for values from `low` to 1. interval: an
// interval that is marked, or null.
void draw_part(double value, double low, const Interval* interval, ImU32 ink) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight(), number = ImGui::CalcTextSize("-0.000").x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x - number - scaled(6), scaled(20));
  const auto x = [&](double part) {
    return at.x + width * float((std::clamp(part, low, 1.0) - low) / (1 - low));
  };
  draw.AddRectFilled({at.x, at.y + 1}, {at.x + width, at.y + line - 1},
                     ImGui::GetColorU32(ImGuiCol_FrameBg, 0.6f));
  draw.AddRectFilled({x(std::min(value, 0.0)), at.y + 2},
                     {x(std::max(value, 0.0)), at.y + line - 2}, ink);
  if (low < 0)
    draw.AddLine({x(0), at.y}, {x(0), at.y + line}, ImGui::GetColorU32(ImGuiCol_Separator));
  const float middle = at.y + line / 2;
  if (interval)
    draw.AddLine({x(interval->from), middle}, {x(interval->to), middle},
                 ImGui::GetColorU32(ImGuiCol_Text), scaled(1.5f));
  const std::string text = fmt::format("{:.3f}", value);
  draw.AddText({at.x + width + scaled(6) + number - ImGui::CalcTextSize(text.c_str()).x, at.y},
               ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
  ImGui::Dummy({width + number + scaled(6), line});
  tooltip(interval ? fmt::format("{:.4f}, 95 % interval {:.4f} to {:.4f}", value, interval->from,
                                 interval->to)
                   : fmt::format("{:.4f}", value));
}

constexpr ImGuiTableFlags bar_table =
    ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;

void draw_name(const std::string& name) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  clipped_text(name, ImGui::GetContentRegionAvail().x);
}

void draw_correlations(const StudyData& data, const OutcomeStatistics& outcome) {
  const auto is_known = [](const Dependence& each) { return !std::isnan(each.rank); };
  if (std::ranges::none_of(outcome.parameters, is_known)) return;
  dim_text("Rank correlation, from -1 to 1");
  tooltip("Spearman's correlation of the outcome with each parameter that is a number");
  if (!ImGui::BeginTable("correlations", 2, bar_table)) return;
  ImGui::TableSetupColumn("", 0, 1);
  ImGui::TableSetupColumn("", 0, 2.5f);
  for (size_t k = 0; k < outcome.parameters.size(); ++k) {
    const double rank = outcome.parameters[k].rank;
    if (std::isnan(rank)) continue;
    draw_name(data.layout.parameters[k].name);
    ImGui::TableNextColumn();
    draw_part(rank, -1, nullptr, color_u32(rank > 0 ? Shade::positive : Shade::negative));
  }
  ImGui::EndTable();
}

void draw_sensitivities(const StudyStatistics& statistics, const OutcomeStatistics& outcome) {
  if (statistics.axes.empty()) return;
  ImGui::Spacing();
  dim_text("Sensitivity (Sobol)");
  tooltip(
      "The part of the variance of the outcome that a parameter explains alone (first order), and "
      "with all of its interactions (total)");
  if (outcome.sensitivities.empty())
    return dim_text("Too few complete pairs, or a constant outcome.");
  if (!ImGui::BeginTable("sensitivity", 3, bar_table)) return;
  ImGui::TableSetupColumn("", 0, 1);
  ImGui::TableSetupColumn("", 0, 1.25f);
  ImGui::TableSetupColumn("", 0, 1.25f);
  ImGui::TableNextRow();
  for (const char* head : {"", "first order", "total"}) {
    ImGui::TableNextColumn();
    dim_text(head);
  }
  for (size_t k = 0; k < statistics.axes.size(); ++k) {
    const SensitivityIndex& index = outcome.sensitivities[k];
    draw_name(statistics.axes[k]);
    ImGui::TableNextColumn();
    draw_part(index.first, 0, &index.first_interval, color_u32(Shade::accent));
    ImGui::TableNextColumn();
    draw_part(index.total, 0, &index.total_interval, color_u32(Shade::good));
  }
  ImGui::EndTable();
  dim_text(fmt::format("{} pairs of points", outcome.pairs));
}

}  // namespace

void draw_study_statistics(Editor& editor, StudiesPanel& panel) {
  const auto& value = panel.statistics.value();
  if (!value || !value->first) return;
  const StudyStatistics& statistics = value->second;
  if (statistics.outcomes.empty()) return dim_text("Choose an outcome to see its statistics.");
  const OutcomeStatistics& outcome = statistics.outcomes[0];
  ImGui::TextUnformatted(outcome.column.head().c_str());
  ImGui::SameLine();
  dim_text("of all samples");
  // Two columns if there is room for them.
  const float room = ImGui::GetContentRegionAvail().x, left = scaled(240);
  const bool wide = room > 2 * left;
  ImGui::BeginGroup();
  draw_failures(statistics, wide ? left - scaled(10) : 0);
  draw_outcome_numbers(editor, outcome);
  ImGui::EndGroup();
  wide ? ImGui::SameLine(left) : ImGui::Spacing();
  ImGui::BeginGroup();
  draw_correlations(*value->first, outcome);
  draw_sensitivities(statistics, outcome);
  ImGui::EndGroup();
}

}  // namespace torsor::editor
