#include "editor/app/layout.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"

namespace torsor::editor {

namespace {

constexpr float gap = 4, strip_height = 62, least_height = 48;  // at scale 1
constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoBringToFrontOnFocus |
                                   ImGuiWindowFlags_NoFocusOnAppearing;

std::vector<const Panel*> open_panels(Settings& settings, Side side) {
  std::vector<const Panel*> open;
  for (const Panel& row : panels())
    if (row.side == side && pane_of(settings, row).open) open.push_back(&row);
  return open;
}

// At the right of the menus: what goes on, and how many problems there are.
void draw_status(Editor& editor) {
  const Moment& now = *editor.now;
  int errors = 0, warnings = 0;
  for (const Problem& problem : *now.problems) {
    errors += problem.kind == Problem::Kind::error;
    warnings += problem.kind == Problem::Kind::warning;
  }
  const auto counted = [](int n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string problems;
  if (errors + warnings > 0) problems = errors > 0 ? counted(errors, "error") : counted(warnings, "warning");
  const std::string title = now.task.empty() ? (now.scene ? now.scene->file.string() : "") : now.task;
  const float problems_width = problems.empty() ? 0 : ImGui::CalcTextSize(problems.c_str()).x + scaled(20);
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

void draw_menus(Editor& editor) {
  if (!ImGui::BeginMainMenuBar()) return;
  if (ImGui::BeginMenu("Scene")) {
    for (const char* action :
         {"scene.reload", "scene.stop", "scene.record", "window.screenshot", "window.quit"})
      action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Edit")) {
    for (const char* action : {"edit.undo", "edit.redo"}) action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Time")) {
    for (const char* action :
         {"time.play", "time.step", "time.step_back", "time.reset", "time.faster", "time.slower"})
      action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Window")) {
    for (const Panel& row : panels())
      if (ImGui::MenuItem(row.title, nullptr, pane_of(editor.settings, row).open))
        try_action(editor, "panel.show", {row.name});
    ImGui::Separator();
    for (const char* action :
         {"window.theme_other", "window.larger", "window.smaller", "window.layout_reset"})
      action_item(editor, action);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu("Help")) {
    action_item(editor, "window.help");
    ImGui::EndMenu();
  }
  draw_status(editor);
  ImGui::EndMainMenuBar();
}

// A bar between two panes that moves both their edges; returns by how much it was dragged.
float splitter(const char* id, ImVec2 at, ImVec2 size, bool vertical) {
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin(id, nullptr, fixed | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar(2);
  ImGui::InvisibleButton("bar", size);
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (active || hovered) {
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + size.x, at.y + size.y},
                                              color_u32(Shade::accent, 0.6f));
  }
  ImGui::End();
  if (!active) return 0;
  return vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

void draw_pane(Editor& editor, const Panel& row, ImVec2 at, ImVec2 size) {
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  bool open = true;
  if (ImGui::Begin(row.title, &open, fixed)) {
    if (editor.has_scene() || !row.needs_scene)
      row.draw(editor);
    else
      dim_text(editor.now->task.empty() ? "no scene yet: see Problems" : editor.now->task + " ...");
  }
  ImGui::End();
  if (!open) try_action(editor, "panel.show", {row.name, "off"});
}

void draw_column(Editor& editor, Side side, ImVec2 at, ImVec2 size) {
  const std::vector<const Panel*> open = open_panels(editor.settings, side);
  if (open.empty()) return;
  const float bar = scaled(gap), room = size.y - bar * float(open.size() - 1);
  float total = 0;
  for (const Panel* row : open) total += pane_of(editor.settings, *row).weight;
  float y = at.y;
  for (size_t k = 0; k < open.size(); ++k) {
    Settings::Pane& pane = pane_of(editor.settings, *open[k]);
    const float height = k + 1 == open.size() ? at.y + size.y - y : std::floor(room * pane.weight / total);
    draw_pane(editor, *open[k], {at.x, y}, {size.x, height});
    y += height;
    if (k + 1 == open.size()) break;
    Settings::Pane& next = pane_of(editor.settings, *open[k + 1]);
    const float least = least_height / room * total * scaled(1);
    const float moved =
        splitter(fmt::format("##below {}", open[k]->name).c_str(), {at.x, y}, {size.x, bar}, false) / room *
        total;
    const float drag =
        std::clamp(moved, std::min(0.0f, least - pane.weight), std::max(0.0f, next.weight - least));
    pane.weight += drag;
    next.weight -= drag;
    y += bar;
  }
}

}  // namespace

Settings::Pane& pane_of(Settings& settings, const Panel& row) {
  return settings.panes.try_emplace(row.name, Settings::Pane{row.open, row.weight}).first->second;
}

void draw_window(Editor& editor) {
  handle_shortcuts(editor);
  draw_menus(editor);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 at = viewport->WorkPos, size = viewport->WorkSize;
  const float bar = scaled(gap), height = size.y - scaled(strip_height) - bar;
  const bool has_left = !open_panels(editor.settings, Side::left).empty(),
             has_right = !open_panels(editor.settings, Side::right).empty();
  const float left = has_left ? std::floor(size.x * editor.settings.left) : -bar;
  const float right = has_right ? std::floor(size.x * editor.settings.right) : -bar;

  if (has_left) {
    draw_column(editor, Side::left, at, {left, height});
    const float moved = splitter("##left", {at.x + left, at.y}, {bar, height}, true) / size.x;
    editor.settings.left = std::clamp(editor.settings.left + moved, 0.08f, 0.45f);
  }
  if (has_right) {
    draw_column(editor, Side::right, {at.x + size.x - right, at.y}, {right, height});
    const float moved =
        splitter("##right", {at.x + size.x - right - bar, at.y}, {bar, height}, true) / size.x;
    editor.settings.right = std::clamp(editor.settings.right - moved, 0.08f, 0.45f);
  }
  draw_column(editor, Side::center, {at.x + left + bar, at.y}, {size.x - left - right - 2 * bar, height});

  ImGui::SetNextWindowPos({at.x, at.y + height + bar});
  ImGui::SetNextWindowSize({size.x, scaled(strip_height)});
  ImGui::Begin("##time", nullptr, fixed | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoScrollWithMouse);
  draw_time_strip(editor);
  ImGui::End();
  if (editor.help) draw_help(editor);
}

void handle_shortcuts(Editor& editor) {
  static const std::vector<const Action*> all = all_actions();
  const std::vector<Shortcut> keys = std::exchange(editor.keys, {});
  if (ImGui::GetIO().WantTextInput) return;
  for (const Shortcut& pressed : keys)
    for (const Action* action : all)
      if (action->shortcut.key != 0 && action->shortcut == pressed) try_action(editor, action->name);
}

void draw_help(Editor& editor) {
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(scaled(860), size.x * 0.95f), std::min(scaled(640), size.y * 0.9f)});
  ImGui::SetNextWindowFocus();
  if (ImGui::Begin("Keys and actions", &editor.help, (fixed & ~ImGuiWindowFlags_NoBringToFrontOnFocus)) &&
      ImGui::BeginTable("actions", 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY)) {
    ImGui::TableSetupColumn("Key", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("What it does", ImGuiTableColumnFlags_WidthStretch, 1.2f);
    ImGui::TableSetupColumn("Action (for --actions)", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableHeadersRow();
    const auto rows = [&](bool with_key) {
      for (const Action* action : all_actions()) {
        if ((action->shortcut.key != 0) != with_key) continue;
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(shortcut_text(action->shortcut).c_str());
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(action->title);
        ImGui::TableNextColumn();
        dim_text(fmt::format("{} {}", action->name, action->arguments));
      }
    };
    rows(true);
    rows(false);
    ImGui::EndTable();
  }
  ImGui::End();
}

}  // namespace torsor::editor
