#include "editor/panels/plugins/plugins.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/probe/plugin_uses.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/parameter_rows.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/loading/descriptor.hpp"

namespace torsor::editor {

const PluginInfo* PluginsPanel::plugin(const Registry& registry) const {
  const auto found = std::ranges::find(registry.plugins(), selected, &PluginInfo::id);
  return found == registry.plugins().end() ? nullptr : &*found;
}

const SkippedFile* PluginsPanel::skipped(const Registry& registry) const {
  for (const SkippedFile& file : registry.skipped())
    if (file.file == selected) return &file;
  return nullptr;
}

const PluginsPanel::Found& PluginsPanel::found(const Registry& registry, const PluginInfo& plugin) {
  if (found_.id == plugin.id && found_.sha256 == plugin.sha256) return found_;
  found_ = {plugin.id, plugin.sha256, {}, {}};
  if (plugin.kind() == Solver::kind) found_.offer = offer_of(registry, plugin);
  if (!is_script(plugin.file)) try {
      found_.note = ElfFile(plugin.file).note;
    } catch (const Error&) {  // the file is being rebuilt; its new version is read later
    }
  return found_;
}

const std::map<std::string, std::vector<std::string>>& PluginsPanel::uses(const Editor& editor) {
  if (!editor.has_scene()) {
    uses_.clear();
    scene_.reset();
  } else if (scene_.lock() != editor.now->scene || solver_ != editor.now->solver()) {
    scene_ = editor.now->scene;
    solver_ = editor.now->solver();
    uses_ = plugin_uses(editor.scene(), solver_);
  }
  return uses_;
}

namespace {

// Returns the reason why a plugin cannot be validated, or "".
std::string no_validation(const Editor& editor, const PluginInfo& plugin) {
  if (editor.has_scene() && plugin.file == editor.scene().file)
    return "it is defined in the scene file; move it to a separate file to validate it";
  return "";
}

const PluginInfo& chosen(const Editor& editor) {
  if (const PluginInfo* plugin = editor.panel<PluginsPanel>().plugin(editor.plugins()))
    return *plugin;
  throw Error("no plugin is selected; select one first");
}

std::vector<std::string> plugins_and_files(const Registry& registry) {
  std::vector<std::string> names = names_of_plugins(registry);
  for (const SkippedFile& file : registry.skipped()) names.push_back(file.file.string());
  return names;
}

// Selects a plugin by its id, or a skipped file by its path.
void select(Editor& editor, const Arguments& arguments) {
  const std::string& id = arguments.text(0, "PLUGIN");
  const Registry& registry = editor.plugins();
  const std::vector<std::string> names = plugins_and_files(registry);
  if (std::ranges::find(names, id) == names.end())
    throw Error(fmt::format("there is no plugin '{}'{}", id, did_you_mean(id, names)));
  editor.panel<PluginsPanel>().selected = id;
}

void search(Editor& editor, const Arguments& arguments) {
  editor.panel<PluginsPanel>().search = arguments.size() > 0 ? arguments.text(0, "TEXT") : "";
}

void copy_path(Editor& editor, const Arguments&) {
  const SkippedFile* skipped = editor.panel<PluginsPanel>().skipped(editor.plugins());
  ImGui::SetClipboardText((skipped ? skipped->file : chosen(editor).file).c_str());
}

void validate(Editor& editor, const Arguments&) {
  const PluginInfo& plugin = chosen(editor);
  if (const std::string why = no_validation(editor, plugin); !why.empty())
    throw Error(fmt::format("'{}' cannot be validated: {}", plugin.id, why));
  editor.panel<PluginsPanel>().validation.start(plugin.file, plugin.id);
}

constexpr Action plugins_action_rows[] = {
    {"plugin.select", "Select a plugin or a rejected plugin file", "PLUGIN", select},
    {"plugin.search", "Search plugins", "[TEXT]", search},
    {"plugin.copy_path", "Copy the path of the plugin file", "", copy_path},
    {"plugin.validate", "Validate the plugin: physics, memory, threads, parameters, speed", "",
     validate},
    {"plugin.validate_stop", "Stop the validation", "",
     [](Editor& e, const Arguments&) { e.panel<PluginsPanel>().validation.stop(); }},
};

bool is_shown(const PluginsPanel& panel, const PluginInfo& plugin) {
  return contains(plugin.id, panel.search) || contains(plugin.summary, panel.search) ||
         contains(plugin.file.string(), panel.search);
}

void draw_entry(Editor& editor, const PluginInfo& plugin) {
  PluginsPanel& panel = editor.panel<PluginsPanel>();
  const auto& uses = panel.uses(editor);
  const std::string name = plugin.id.substr(plugin.id.find('.') + 1);
  if (ImGui::Selectable(fmt::format("{}##{}", name, plugin.id).c_str(),
                        panel.selected == plugin.id))
    try_action(editor, "plugin.select", {plugin.id});
  tooltip(plugin.summary);
  if (!uses.contains(plugin.id)) return;
  const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddCircleFilled({end.x - scaled(6), (at.y + end.y) / 2}, scaled(3),
                                              color_u32(Shade::accent));
}

// Draws the list of plugins that match the search, with a heading per kind, and the list of skipped
// files.
void draw_list(Editor& editor) {
  const Registry& registry = editor.plugins();
  std::string kind;
  for (const PluginInfo& plugin : registry.plugins()) {
    if (!is_shown(editor.panel<PluginsPanel>(), plugin)) continue;
    if (const std::string of = plugin.id.substr(0, plugin.id.find('.')); of != kind) {
      kind = of;
      const auto count = std::ranges::count_if(registry.plugins(), [&](const PluginInfo& each) {
        return each.id.starts_with(kind + ".");
      });
      dim_text(fmt::format("{} ({})", kind, count));
    }
    draw_entry(editor, plugin);
  }
  if (registry.skipped().empty()) return;
  dim_text(fmt::format("skipped ({})", registry.skipped().size()));
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::warning));
  for (const SkippedFile& file : registry.skipped()) {
    const std::string path = file.file.string();
    if (ImGui::Selectable(fmt::format("{}##{}", file.file.filename().string(), path).c_str(),
                          editor.panel<PluginsPanel>().selected == path))
      try_action(editor, "plugin.select", {path});
    tooltip(fmt::format("{} {}", path, file.reason));
  }
  ImGui::PopStyleColor();
}

void draw_search(Editor& editor, float width) {
  char text[128];
  fmt::format_to_n(text, sizeof text - 1, "{}", editor.panel<PluginsPanel>().search).out[0] = '\0';
  ImGui::SetNextItemWidth(width);
  if (ImGui::InputTextWithHint("##search", "Search", text, sizeof text))
    try_action(editor, "plugin.search", {text});
}

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
                               is_script(plugin.file) ? ", in Lua" : "; " + says));
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

// Draws the progress and the results of a validation, failures first.
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

}  // namespace

void PluginsPanel::draw(Editor& editor) {
  const Registry& registry = editor.plugins();
  if (selected.empty() && !registry.plugins().empty()) selected = registry.plugins()[0].id;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = room.x > scaled(480);
  const float width = beside ? scaled(190) : room.x;
  ImGui::BeginChild("list", {width, beside ? 0 : room.y * 0.35f});
  draw_search(editor, -1);
  ImGui::BeginChild("entries");
  draw_list(editor);
  ImGui::EndChild();
  ImGui::EndChild();
  if (beside) ImGui::SameLine();
  ImGui::BeginChild("plugin");
  if (const PluginInfo* shown = plugin(registry))
    draw_plugin(editor, *shown);
  else if (const SkippedFile* file = skipped(registry))
    draw_skipped_file(editor, *file);
  else
    dim_text(selected.empty() ? "No plugins." : fmt::format("Plugin '{}' not found.", selected));
  ImGui::EndChild();
}

std::optional<std::vector<std::string>> PluginsPanel::candidates(Editor& editor, const Action&,
                                                                 std::string_view word,
                                                                 const Arguments&) {
  if (word != "PLUGIN") return std::nullopt;
  return plugins_and_files(editor.plugins());
}

std::span<const Action> PluginsPanel::actions() {
  return plugins_action_rows;
}

}  // namespace torsor::editor
