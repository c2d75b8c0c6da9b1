#include "editor/app/open_dialog.hpp"

#include <fmt/format.h>
#include <imgui.h>
// After ImGui.
#include <imgui_stdlib.h>

#include <algorithm>
#include <tuple>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "editor/session/viewed_recording.hpp"
#include "torsor/model/error.hpp"
#include "torsor/scripting/script.hpp"

namespace torsor::editor {

namespace {

namespace fs = std::filesystem;
using Entry = OpenDialog::Entry;

// Folders first, then the files that can be opened, by name.
std::vector<Entry> list(const fs::path& folder) {
  std::vector<Entry> out;
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

void enter(OpenDialog& dialog, const fs::path& folder) {
  std::error_code ignored;
  dialog.folder = fs::canonical(folder, ignored);
  dialog.here = list(dialog.folder);
  if (dialog.folder.has_relative_path())
    dialog.here.insert(dialog.here.begin(), {dialog.folder.parent_path(), "../", true});
}

void choose(Editor& editor, const Entry& entry) {
  OpenDialog& dialog = editor.open_dialog;
  dialog.text.clear();
  if (entry.folder) return enter(dialog, entry.path);
  Arguments arguments{entry.path.string()};
  if (dialog.floating_base && entry.path.extension() == ".urdf")
    arguments = {entry.path.string(), "floating_base"};
  try_action(editor, "scene.open", arguments);
}

// The rows of a list that have the text; the first of all is what Enter chooses. Returns what was clicked.
const Entry* section(const OpenDialog& dialog, const char* title, const std::vector<Entry>& entries,
                     const Entry*& first) {
  const Entry* clicked = nullptr;
  bool any = false;
  for (const Entry& entry : entries) {
    if (!contains(entry.label, dialog.text)) continue;
    if (!any) dim_text(title);
    any = true;
    const bool is_first = !first;
    if (is_first) first = &entry;
    const std::string label = entry.label + (entry.missing ? "  (missing)" : "");
    ImGui::PushID(&entry);
    ImGui::PushStyleColor(ImGuiCol_Text,
                          entry.missing ? color(Shade::dim) : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    if (ImGui::Selectable(shortened(label, ImGui::GetContentRegionAvail().x).c_str(),
                          is_first && !dialog.text.empty()))
      clicked = &entry;
    ImGui::PopStyleColor();
    tooltip(entry.path.string());
    ImGui::PopID();
  }
  if (any) ImGui::Spacing();
  return clicked;
}

}  // namespace

bool can_be_opened(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".lua" || extension == ".urdf" || is_recording(file);
}

fs::path shipped_scenes() {
  std::error_code failed;
  const fs::path folder = fs::canonical(default_script_folder(), failed).parent_path() / "scenes";
  return fs::is_directory(folder, failed) ? folder : "";
}

void show_open_dialog(Editor& editor) {
  OpenDialog& dialog = editor.open_dialog;
  dialog.shown = true;
  editor.help = editor.palette.shown = false;  // one overlay at a time
  dialog.text.clear();
  dialog.recent.clear();
  std::error_code ignored;
  for (const std::string& file : editor.settings.recent)
    dialog.recent.push_back({file, file, false, !fs::is_regular_file(file, ignored)});
  dialog.shipped = shipped_scenes().empty() ? std::vector<Entry>{} : list(shipped_scenes());
  std::erase_if(dialog.shipped,
                [](const Entry& entry) { return entry.folder || entry.path.extension() != ".lua"; });
  enter(dialog, dialog.folder.empty() ? fs::current_path(ignored) : dialog.folder);
}

void draw_open_dialog(Editor& editor) {
  OpenDialog& dialog = editor.open_dialog;
  if (begin_overlay("Open", dialog.shown, 620, 560)) {
    ImGui::SetNextItemWidth(-1);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool entered =
        ImGui::InputTextWithHint("##text", "part of a name, or a path", &dialog.text,
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    ImGui::Checkbox("the root link of a URDF file floats", &dialog.floating_base);
    ImGui::Separator();
    const Entry* first = nullptr;
    ImGui::BeginChild("files");
    const std::string here = dialog.folder.string();
    std::optional<Entry> chosen;
    for (const auto& [title, entries] :
         {std::pair("Opened last", &dialog.recent),
          std::pair("Scenes that come with Torsor", &dialog.shipped), std::pair(here.c_str(), &dialog.here)})
      if (const Entry* clicked = section(dialog, title, *entries, first)) chosen = *clicked;
    if (!first) dim_text("no such file here; Enter takes the text as a path");
    ImGui::EndChild();
    if (entered && !dialog.text.empty()) {
      std::error_code ignored;
      const bool a_path = !first || dialog.text.find('/') != std::string::npos;
      const fs::path path = a_path ? dialog.folder / dialog.text : first->path;
      chosen = {path, "", fs::is_directory(path, ignored)};
    }
    if (chosen) choose(editor, *chosen);
  }
  ImGui::End();
}

void open_dropped(Editor& editor, const std::vector<std::string>& files) {
  if (files.empty()) return;
  try_action(editor, "scene.open", {files[0]});
  if (files.size() > 1)
    editor.say_when_open(
        fmt::format("{}: the first of {} files dropped; the others are not opened", files[0], files.size()));
}

}  // namespace torsor::editor
