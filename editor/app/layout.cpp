#include "editor/app/layout.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/app/time_strip.hpp"
#include "editor/dialogs/hang_notice.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/video/video.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/text.hpp"

namespace torsor::editor {

namespace {

constexpr float strip_gap = 4, strip_height = 62;  // at scale 1
constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoBringToFrontOnFocus |
                                   ImGuiWindowFlags_NoFocusOnAppearing;

// Draws the status to the right of the menus: the current task or the file, and the number of
// problems.
void draw_status(Editor& editor) {
  const SessionState& now = *editor.now;
  int errors = 0, warnings = 0;
  for (const Problem& problem : *now.problems) {
    errors += problem.kind == Problem::Kind::error;
    warnings += problem.kind == Problem::Kind::warning;
  }
  std::string problems;
  if (errors + warnings > 0)
    problems = errors > 0 ? counted(size_t(errors), "error") : counted(size_t(warnings), "warning");
  const std::string title =
      now.task.empty() ? (now.scene ? now.scene->file.string() : "") : now.task;
  const float problems_width =
      problems.empty() ? 0 : ImGui::CalcTextSize(problems.c_str()).x + scaled(20);
  const float room = ImGui::GetWindowWidth() - ImGui::GetCursorPosX() - problems_width - scaled(24);
  const float title_width = std::min(ImGui::CalcTextSize(title.c_str()).x, room);
  if (room < scaled(40)) return;
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - title_width - problems_width - scaled(12));
  if (!problems.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(errors > 0 ? Shade::error : Shade::warning));
    if (ImGui::MenuItem(problems.c_str())) try_action(editor, "panel.show", {"problems"});
    ImGui::PopStyleColor();
  }
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
  clipped_text(title, title_width + 1);
  ImGui::PopStyleColor();
}

void draw_recent(Editor& editor) {
  const std::vector<std::string>& recent = editor.settings.recent;
  if (!ImGui::BeginMenu("Open recent", !recent.empty())) return;
  std::string chosen;
  for (const std::string& file : recent)
    if (ImGui::MenuItem(file.c_str())) chosen = file;
  ImGui::EndMenu();
  if (!chosen.empty()) try_action(editor, "scene.open", {chosen});
}

void draw_menus(Editor& editor) {
  if (!ImGui::BeginMainMenuBar()) return;
  if (ImGui::BeginMenu("Scene")) {
    action_item(editor, "scene.open");
    draw_recent(editor);
    for (const char* action : {"scene.reload", "scene.stop", "scene.record", "scene.export",
                               "robot.export", "window.screenshot"})
      action_item(editor, action);
    action_item(editor, "video.switch", editor.video.is_recording());
    action_item(editor, "window.quit");
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Edit")) {
    for (const char* action : {"edit.undo", "edit.redo", "edit.clear"}) action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Time")) {
    for (const char* action :
         {"time.play", "time.step", "time.step_back", "time.far_step", "time.far_step_back",
          "time.page", "time.page_back", "time.reset", "time.end", "time.faster", "time.slower"})
      action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Window")) {
    for (const PanelRow& row : panel_rows())
      if (ImGui::MenuItem(row.title, shortcut_text(shortcut_of(row)).c_str(),
                          state_of(editor.settings, row).open))
        try_action(editor, "panel.show", {row.name, in_front(editor.settings, row) ? "off" : "on"});
    ImGui::Separator();
    for (const char* action :
         {"window.theme_other", "window.larger", "window.smaller", "window.layout_reset"})
      action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    for (const char* action : {"window.palette", "window.help"}) action_item(editor, action);
    ImGui::EndMenu();
  }
  place_video_mark(editor);
  draw_status(editor);
  ImGui::EndMainMenuBar();
}

}  // namespace

void draw_window(Editor& editor) {
  handle_shortcuts(editor);
  draw_menus(editor);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 at = viewport->WorkPos;
  const ImVec2 size{std::max(viewport->WorkSize.x, 1.0f), std::max(viewport->WorkSize.y, 1.0f)};
  const float bar = scaled(strip_gap), height = std::max(size.y - scaled(strip_height) - bar, 1.0f);
  draw_panes(editor, at, {size.x, height});

  ImGui::SetNextWindowPos({at.x, at.y + height + bar});
  ImGui::SetNextWindowSize({size.x, scaled(strip_height)});
  ImGui::Begin("##time", nullptr,
               fixed | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoScrollWithMouse);
  draw_time_strip(editor);
  ImGui::End();
  editor.toasts.draw(at.y + height);
  draw_hang_notice(editor);
  draw_help(editor);
  draw_open_dialog(editor);
  draw_export_dialog(editor);
  draw_palette(editor);
  draw_leave_dialog(editor);
  draw_trust_dialog(editor);
}

namespace {

// Closes the topmost popup, menu, dialog or overlay. Returns whether there was one.
bool close_topmost(Editor& editor) {
  const ImVector<ImGuiPopupData>& popups = ImGui::GetCurrentContext()->OpenPopupStack;
  const bool over_modal = !popups.empty() && popups.back().Window &&
                          !(popups.back().Window->Flags & ImGuiWindowFlags_Modal);
  if (over_modal) {
    ImGui::ClosePopupToLevel(popups.Size - 1, true);
    return true;
  }
  if (editor.leave_dialog.shown) {
    answer(editor, LeaveDialog::Answer::cancel);
    return true;
  }
  for (bool* overlay : {&editor.trust_dialog.shown, &editor.palette.shown,
                        &editor.open_dialog.shown, &editor.export_dialog.shown, &editor.help})
    if (std::exchange(*overlay, false)) return true;
  return false;
}

// Handles Esc: closes the topmost popup, or else stops the current task. Without a popup or a task,
// Esc does nothing: it does not pause playback.
void handle_escape(Editor& editor) {
  const bool closed = close_topmost(editor);
  if (!closed && !ImGui::GetIO().WantTextInput && editor.working())
    try_action(editor, "scene.stop");
}

// Removes the keys that a text field, a menu or a dialog uses itself. The key that prints the state
// always passes.
void capture_keys(Editor& editor, std::vector<Shortcut>& keys) {
  const auto keep_only = [&](std::initializer_list<Shortcut> passed) {
    std::erase_if(
        keys, [&](const Shortcut& key) { return std::ranges::find(passed, key) == passed.end(); });
  };
  const Shortcut palette{GLFW_KEY_P, true}, open{GLFW_KEY_O, true}, quit{GLFW_KEY_Q, true},
      help{GLFW_KEY_F1}, print{GLFW_KEY_I, true};
  if (editor.leave_dialog.shown) {
    for (const Shortcut& key : keys)
      if (!key.ctrl && !key.alt) answer_by_key(editor, key.key);
    keep_only({print});
  } else if (editor.trust_dialog.shown) {
    keep_only({quit, print});
  } else if (editor.palette.shown || editor.open_dialog.shown || editor.export_dialog.shown ||
             editor.help) {
    keep_only({palette, open, quit, help, print});
  } else if (ImGui::IsPopupOpen(nullptr,
                                ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
    keep_only({quit, print});
  } else if (ImGui::GetIO().WantTextInput) {
    keep_only({palette, print});
  }
}

}  // namespace

void handle_shortcuts(Editor& editor) {
  static const std::vector<const Action*> all = all_actions();
  std::vector<Shortcut> keys = std::exchange(editor.keys, {});
  // Replace keys that other programs use by the keys of the same actions. F12 works during a mouse
  // drag, where Ctrl of Ctrl+I would change the effect of the mouse.
  std::ranges::replace(keys, Shortcut{GLFW_KEY_L, true}, Shortcut{GLFW_KEY_R, true});
  std::ranges::replace(keys, Shortcut{GLFW_KEY_HOME}, Shortcut{GLFW_KEY_BACKSPACE});
  std::ranges::replace(keys, Shortcut{GLFW_KEY_F12}, Shortcut{GLFW_KEY_I, true});
  for (auto escapes = std::erase(keys, Shortcut{GLFW_KEY_ESCAPE}); escapes-- > 0;)
    handle_escape(editor);
  capture_keys(editor, keys);
  for (const Shortcut& pressed : keys) {
    for (const Action* action : all)
      if (action->shortcut.key != 0 && action->shortcut == pressed)
        try_action(editor, action->name);
    for (const PanelRow& row : panel_rows())
      if (row.letter && shortcut_of(row) == pressed) try_action(editor, "panel.show", {row.name});
  }
}

namespace {

std::string_view area_of(const Action& action) {
  const std::string_view name = action.name;
  return name.substr(0, name.find('.'));
}

// Returns the areas of all actions ("time" for "time.play"), in the order of the tables.
std::vector<std::string> areas() {
  std::vector<std::string> out;
  for (const Action* action : all_actions())
    if (std::ranges::find(out, area_of(*action)) == out.end()) out.emplace_back(area_of(*action));
  return out;
}

}  // namespace

void draw_help(Editor& editor) {
  if (!begin_overlay("Keys and actions", editor.help, 1100, 680)) return;
  if (ImGui::BeginTable("actions", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) {
    ImGui::TableSetupColumn("Key", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("Description", ImGuiTableColumnFlags_WidthStretch, 1.2f);
    ImGui::TableSetupColumn("Action (for --actions)", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    const auto heading = [](const std::string& area) {
      ImGui::TableNextRow();
      ImGui::TableSetColumnIndex(1);
      ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::accent));
      ImGui::TextUnformatted((char(std::toupper(area[0])) + area.substr(1)).c_str());
      ImGui::PopStyleColor();
      ImGui::TableNextColumn();
    };
    const auto row = [](const Shortcut& shortcut, const std::string& title,
                        const std::string& action) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(shortcut_text(shortcut).c_str());
      ImGui::TableNextColumn();
      draw_wrapped_text(title);
      ImGui::TableNextColumn();
      ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
      draw_wrapped_text(action);
      ImGui::PopStyleColor();
    };
    for (const std::string& area : areas()) {
      heading(area);
      for (const bool with_key : {true, false})
        for (const Action* action : all_actions())
          if (area_of(*action) == area && (action->shortcut.key != 0) == with_key)
            row(action->shortcut, action->title,
                fmt::format("{} {}", action->name, action->arguments));
      for (const PanelRow& each : panel_rows())
        if (area == "panel" && each.letter)
          row(shortcut_of(each), fmt::format("Show {}", each.title),
              fmt::format("panel.show {}", each.name));
    }
    ImGui::EndTable();
  }
  ImGui::EndPopup();
}

}  // namespace torsor::editor
