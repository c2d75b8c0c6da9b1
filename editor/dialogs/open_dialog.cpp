#include "editor/dialogs/open_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>
// This header must follow the headers of ImGui.
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "editor/app/editor.hpp"
#include "editor/support/openable_file.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::editor {

namespace {

namespace fs = std::filesystem;
using Entry = OpenDialog::Entry;
using Entries = std::vector<Entry>;

// Returns the folders in a folder, then the files that can be opened, each sorted by name. Omits
// hidden entries.
Entries list(const fs::path& folder) {
  Entries out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    const bool is_folder = at->is_directory(ignored);
    if (name.starts_with('.') || (!is_folder && !can_be_opened(at->path()))) continue;
    out.push_back({at->path(), is_folder ? name + "/" : name, is_folder});
  }
  std::ranges::sort(out, [](const Entry& a, const Entry& b) {
    return std::tuple(!a.folder, a.label) < std::tuple(!b.folder, b.label);
  });
  return out;
}

// Splits "scenes/ii" into the folder "scenes/" and the part "ii" of a name.
std::pair<std::string, std::string> split(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string::npos) return {"", text};
  return {text.substr(0, slash + 1), text.substr(slash + 1)};
}

// Lists the folder that the text names, unless this folder is already listed.
void list_here(OpenDialog& dialog) {
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(path_of(dialog, split(dialog.text).first), ignored);
  if (folder == dialog.listed) return;
  dialog.listed = folder;
  dialog.here = list(folder);
  if (folder.has_relative_path())
    dialog.here.insert(dialog.here.begin(), {folder.parent_path(), "../", true});
}

void enter(OpenDialog& dialog, const fs::path& folder) {
  std::error_code ignored;
  dialog.folder = fs::canonical(folder, ignored);
  dialog.text.clear();
  dialog.chosen = 0;
  dialog.listed.clear();
  list_here(dialog);
}

void choose(Editor& editor, const fs::path& path) {
  OpenDialog& dialog = editor.open_dialog;
  dialog.error.clear();
  dialog.cursor_to_end = true;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return enter(dialog, path);
  try {
    editor.open(path, dialog.floating_base && robot_format(path));
  } catch (const Error& error) {
    dialog.error = error.what();
  }
}

// Returns a message about a text that cannot be opened: its folder or its last component does not
// exist.
std::string why_not(const OpenDialog& dialog) {
  const auto [folder, name] = split(dialog.text);
  std::error_code ignored;
  if (!fs::is_directory(path_of(dialog, folder), ignored))
    return fmt::format("no such folder: {}", folder);
  std::vector<std::string> names;
  for (const Entry& entry : dialog.here) names.push_back(entry.label);
  return fmt::format("there is no '{}' in {}{}", name, dialog.listed.string(),
                     did_you_mean(name, names));
}

// The rows of the dialog that match the text, in the order of the arrow keys.
struct Rows {
  Entries here, recent, shipped;
  size_t size() const { return here.size() + recent.size() + shipped.size(); }
  const Entry& operator[](size_t k) const {
    if (k < here.size()) return here[k];
    k -= here.size();
    return k < recent.size() ? recent[k] : shipped[k - recent.size()];
  }
};

Rows matching_rows(const OpenDialog& dialog) {
  const std::pair<std::string, std::string> typed = split(dialog.text);
  const auto matching = [&](const Entries& entries) {
    const std::string& name = typed.second;
    Entries out;
    for (const Entry& entry : entries)
      if (contains(entry.label, name) && (name.empty() || entry.label != "../"))
        out.push_back(entry);
    return out;
  };
  Rows rows{matching(dialog.here), {}, {}};
  if (typed.first.empty())
    rows.recent = matching(dialog.recent), rows.shipped = matching(dialog.shipped);
  return rows;
}

// Handles Enter: opens the file or folder that the text names, or else the chosen row. Sets the
// error if there is neither.
void enter_text(Editor& editor, const Rows& rows) {
  OpenDialog& dialog = editor.open_dialog;
  dialog.cursor_to_end = true;
  const fs::path path = path_of(dialog, dialog.text);
  std::error_code ignored;
  if (!dialog.text.empty() && fs::exists(path, ignored)) return choose(editor, path);
  if (rows.size() > 0) return choose(editor, rows[size_t(dialog.chosen)].path);
  dialog.error = why_not(dialog);
}

struct Section {
  const char* title;
  const Entries& entries;
  size_t first;  // row of its first entry
};

// Draws the rows of a section. Returns the clicked entry, or null.
const Entry* draw_section(const OpenDialog& dialog, const Section& section, bool scroll) {
  const Entry* clicked = nullptr;
  clipped_text(section.title, ImGui::GetContentRegionAvail().x);
  for (size_t k = 0; k < section.entries.size(); ++k) {
    const Entry& entry = section.entries[k];
    const bool chosen = section.first + k == size_t(dialog.chosen);
    const std::string label = entry.label + (entry.missing ? "  (missing)" : "");
    ImGui::PushID(int(k));
    ImGui::PushStyleColor(ImGuiCol_Text, entry.missing  ? color(Shade::dim)
                                         : entry.folder ? color(Shade::accent)
                                                        : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    if (ImGui::Selectable(shortened(label, ImGui::GetContentRegionAvail().x).c_str(), chosen))
      clicked = &entry;
    ImGui::PopStyleColor();
    if (chosen && scroll) ImGui::SetScrollHereY(0.5f);
    tooltip(entry.path.string());
    ImGui::PopID();
  }
  return clicked;
}

int edit_callback_of_dialog(ImGuiInputTextCallbackData* data) {
  OpenDialog& dialog = *static_cast<OpenDialog*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
    const std::string more = completed(dialog, data->Buf);
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, more.c_str());
  } else if (std::exchange(dialog.cursor_to_end, false)) {
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  }
  return 0;
}

// Draws the text field and the error below it. Returns whether Enter was pressed.
bool draw_text_of(OpenDialog& dialog) {
  ImGui::SetNextItemWidth(-1);
  if (ImGui::IsWindowAppearing() || dialog.cursor_to_end) ImGui::SetKeyboardFocusHere();
  const std::string before = dialog.text;
  const bool entered = ImGui::InputTextWithHint(
      "##text", "path or part of a name; Tab completes it", &dialog.text,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion |
          ImGuiInputTextFlags_CallbackAlways,
      edit_callback_of_dialog, &dialog);
  if (dialog.text != before) dialog.chosen = 0, dialog.error.clear();
  if (!dialog.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
    draw_wrapped_text(dialog.error);
    ImGui::PopStyleColor();
  }
  return entered;
}

// Draws the folder on the left, and recent files and shipped scenes on the right. Returns the
// clicked entry, or null.
const Entry* draw_lists(const OpenDialog& dialog, const Rows& rows, bool scroll) {
  const Entry* clicked = nullptr;
  const auto draw = [&](const Section& section) {
    ImGui::PushID(section.title);
    if (const Entry* entry = draw_section(dialog, section, scroll)) clicked = entry;
    ImGui::PopID();
  };
  const bool both = !rows.recent.empty() || !rows.shipped.empty();
  const std::string here = dialog.listed.string();
  ImGui::BeginChild("here", {both ? ImGui::GetContentRegionAvail().x * 0.5f : 0, 0});
  draw({here.c_str(), rows.here, 0});
  if (rows.here.empty())
    dim_text(dialog.text.empty() ? "no files to open here" : "no matches here");
  ImGui::EndChild();
  if (!both) return clicked;
  ImGui::SameLine();
  ImGui::BeginChild("others");
  if (!rows.recent.empty()) {
    draw({"Recent files", rows.recent, rows.here.size()});
    ImGui::Spacing();
  }
  if (!rows.shipped.empty())
    draw({"Scenes that come with Torsor", rows.shipped, rows.here.size() + rows.recent.size()});
  ImGui::EndChild();
  return clicked;
}

}  // namespace

fs::path shipped_scenes() {
  std::error_code failed;
  const fs::path folder = fs::canonical(default_script_folder(), failed).parent_path() / "scenes";
  return fs::is_directory(folder, failed) ? folder : "";
}

fs::path path_of(const OpenDialog& dialog, const std::string& text) {
  const char* home = std::getenv("HOME");
  if (home && (text == "~" || text.starts_with("~/")))
    return fs::path(home) / fs::path(text.substr(1)).relative_path();
  return dialog.folder / text;
}

std::string completed(const OpenDialog& dialog, const std::string& text) {
  const auto [folder, name] = split(text);
  std::optional<std::string> common;
  for (const Entry& entry : list(path_of(dialog, folder))) {
    if (!entry.label.starts_with(name)) continue;
    if (!common) common = entry.label;
    const auto parted = std::ranges::mismatch(*common, entry.label).in1;
    common->erase(parted, common->end());
  }
  return common ? folder + *common : text;
}

void show_open_dialog(Editor& editor) {
  OpenDialog& dialog = editor.open_dialog;
  dialog.shown = true;
  editor.help = editor.palette.shown = editor.export_dialog.shown = false;  // one overlay at a time
  dialog.error.clear();
  dialog.recent.clear();
  std::error_code ignored;
  for (const std::string& file : editor.settings.recent)
    dialog.recent.push_back({file, file, false, !fs::is_regular_file(file, ignored)});
  dialog.shipped = shipped_scenes().empty() ? Entries{} : list(shipped_scenes());
  std::erase_if(dialog.shipped,
                [](const Entry& entry) { return entry.folder || !is_script(entry.path); });
  enter(dialog, dialog.folder.empty() ? fs::current_path(ignored) : dialog.folder);
}

void draw_open_dialog(Editor& editor) {
  OpenDialog& dialog = editor.open_dialog;
  if (!begin_overlay("Open", dialog.shown, 760, 520)) return;
  const bool entered = draw_text_of(dialog);
  ImGui::Checkbox("Floating base", &dialog.floating_base);
  tooltip("Connect the root link of a robot file to the world by a floating joint");
  ImGui::Separator();
  list_here(dialog);
  const Rows rows = matching_rows(dialog);
  const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
  const int moved = int(pressed(ImGuiKey_DownArrow)) - int(pressed(ImGuiKey_UpArrow));
  dialog.chosen = std::clamp(dialog.chosen + moved, 0, std::max(0, int(rows.size()) - 1));
  const Entry* clicked = draw_lists(dialog, rows, moved != 0);
  if (clicked)
    choose(editor, clicked->path);
  else if (entered)
    enter_text(editor, rows);
  ImGui::EndPopup();
}

void open_dropped(Editor& editor, const std::vector<std::string>& files) {
  if (files.empty()) return;
  try_action(editor, "scene.open", {files[0]});
  if (files.size() > 1)
    editor.report_when_open(
        fmt::format("{}: only the first of {} dropped files is opened", files[0], files.size()));
}

}  // namespace torsor::editor
