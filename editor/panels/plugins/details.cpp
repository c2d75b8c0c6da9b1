// Draws the details of one plugin: description, interfaces, parameters and validation.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/panels/plugins/plugins.hpp"
#include "editor/widgets/parameter_rows.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor::editor {

namespace {

constexpr ImGuiTableFlags table_flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp |
                                        ImGuiTableFlags_NoSavedSettings |
                                        ImGuiTableFlags_BordersInnerV;

void draw_parameters(const torsor_descriptor& descriptor) {
  const auto rows = parameter_rows(descriptor);
  if (rows.empty()) return dim_text("No parameters.");
  if (!ImGui::BeginTable("parameters", 5, table_flags)) return;
  for (const char* column : {"Parameter", "Type", "Unit", "Range", "Default"})
    ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  for (const torsor_param& row : rows) {
    ImGui::TableNextRow();
    for (const std::string& text : {std::string(row.name), type_text(row), std::string(row.unit),
                                    range_text(row), initial_text(row)}) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(shortened(text, ImGui::GetContentRegionAvail().x).c_str());
      tooltip(fmt::format("{} ({}{}{}): {}", row.name, type_text(row), *row.unit ? ", " : "",
                          row.unit, row.help));
    }
  }
  ImGui::EndTable();
}

void list_row(const char* name, const std::vector<std::string>& entries) {
  if (entries.empty()) return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  dim_text(name);
  ImGui::TableNextColumn();
  draw_wrapped_text(fmt::format("{}", fmt::join(entries, ", ")));
}

void draw_facts(Editor& editor, const PluginInfo& plugin) {
  const PluginsPanel::Found& found = editor.panel<PluginsPanel>().found(editor.plugins(), plugin);
  if (!ImGui::BeginTable("facts", 2, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  value_row("File", plugin.file.string());
  const std::string says =
      found.note ? fmt::format("file note: {}.{}, {}", found.note->abi_major, found.note->abi_minor,
                               fmt::join(found.note->plugins, ", "))
                 : "no SDK note in the file";
  value_row("ABI", fmt::format("{}.{}{}", plugin.abi_major, plugin.abi_minor,
                               plugin.file.extension() == ".lua" ? ", in Lua" : "; " + says));
  value_row("SHA-256", plugin.sha256);
  if (!plugin.family.empty()) value_row("Robot family", plugin.family);
  list_row("Provides", found.offer.offered);
  list_row("Derived", found.offer.derived);
  if (!found.offer.trouble.empty()) list_row("Problem", {found.offer.trouble});
  const auto& uses = editor.panel<PluginsPanel>().uses(editor);
  const auto used = uses.find(plugin.id);
  list_row("Used as",
           used == uses.end() ? std::vector<std::string>{"not used in this scene"} : used->second);
  ImGui::EndTable();
}

void draw_line(const ValidationLine& line) {
  using Outcome = ValidationLine::Outcome;
  static constexpr const char* words[] = {"Pass", "FAIL", "n/a"};
  static constexpr Shade shades[] = {Shade::good, Shade::error, Shade::dim};
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, color(shades[int(line.outcome)]));
  ImGui::TextUnformatted(words[int(line.outcome)]);
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(line.check.c_str());
  ImGui::TableNextColumn();
  if (line.outcome == Outcome::failed) {
    draw_wrapped_text(line.text);
  } else {
    clipped_text(line.text, ImGui::GetContentRegionAvail().x);
  }
}

// Draws the results of a validation, failures first.
void draw_validation(const Validation& validation) {
  using Outcome = ValidationLine::Outcome;
  if (validation.busy) {
    const float part =
        float(validation.lines.size()) / float(std::max<size_t>(1, validation.checks));
    ImGui::ProgressBar(
        std::min(1.0f, part), {-1, 0},
        fmt::format("{} of {} checks", validation.lines.size(), validation.checks).c_str());
  }
  const size_t failed = validation.count(Outcome::failed);
  ImGui::PushStyleColor(ImGuiCol_Text, color(failed ? Shade::error : Shade::good));
  ImGui::TextUnformatted(
      fmt::format("{} passed, {} failed", validation.count(Outcome::passed), failed).c_str());
  ImGui::PopStyleColor();
  ImGui::SameLine();
  dim_text(fmt::format("{} not applicable{}", validation.count(Outcome::not_applicable),
                       validation.stopped ? "; stopped" : ""));
  if (!validation.failure.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
    draw_wrapped_text(validation.failure);
    ImGui::PopStyleColor();
  }
  if (!ImGui::BeginTable("validation", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings))
    return;
  ImGui::TableSetupColumn("outcome", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("check", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthStretch);
  for (const bool failures : {true, false})
    for (const ValidationLine& line : validation.lines)
      if ((line.outcome == Outcome::failed) == failures) draw_line(line);
  ImGui::EndTable();
}

void draw_buttons(Editor& editor, const PluginInfo& plugin, const Validation& validation) {
  action_button(editor, "Copy path", "plugin.copy_path");
  ImGui::SameLine();
  if (validation.busy) {
    action_button(editor, "Stop", "plugin.validate_stop");
  } else {
    const std::string why = no_validation(editor, plugin);
    ImGui::BeginDisabled(!why.empty());
    action_button(editor, "Validate", "plugin.validate");
    ImGui::EndDisabled();
    if (!why.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
      ImGui::SetTooltip("%s", why.c_str());
  }
  ImGui::SameLine();
  action_button(editor, "Reload", "scene.reload");
}

}  // namespace

void draw_plugin(Editor& editor, const PluginInfo& plugin) {
  const Validation validation = editor.panel<PluginsPanel>().validation.now();
  ImGui::TextUnformatted(plugin.id.c_str());
  ImGui::SameLine();
  dim_text(plugin.version);
  ImGui::PushTextWrapPos();
  dim_text(plugin.summary);
  ImGui::PopTextWrapPos();
  draw_buttons(editor, plugin, validation);
  if (validation.id == plugin.id)
    draw_validation(validation);
  else if (validation.busy)
    dim_text(fmt::format("Validating {} ...", validation.id));
  draw_facts(editor, plugin);
  draw_parameters(editor.plugins().descriptor(plugin.id));
}

void draw_skipped_file(Editor& editor, const SkippedFile& file) {
  ImGui::TextUnformatted(file.file.filename().c_str());
  action_button(editor, "Copy path", "plugin.copy_path");
  ImGui::SameLine();
  action_button(editor, "Reload", "scene.reload");
  ImGui::PushStyleColor(ImGuiCol_Text, color(file.is_second ? Shade::dim : Shade::warning));
  draw_wrapped_text(fmt::format("{}: {}", file.is_second ? "Not used" : "Rejected", file.reason));
  ImGui::PopStyleColor();
  ImGui::PushTextWrapPos();
  dim_text(fmt::format("{}\nFound in {}", file.file.string(), file.path.string()));
  ImGui::PopTextWrapPos();
}

}  // namespace torsor::editor
