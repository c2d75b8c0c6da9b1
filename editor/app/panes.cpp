#include "editor/app/panes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/panels/panel.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Gap between panes and minimum height of a pane in pixels at scale 1. Minimum width of a pane as a
// fraction of the window width.
constexpr float gap = 4, least_height = 48, least_width = 0.08f;
// A pane with a smaller width or height (pixels at scale 1) is not drawn.
constexpr float least_drawn = 40;
constexpr ImGuiWindowFlags pane_flags =
    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
    ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoTitleBar;

struct Column {
  Pane top, bottom;
  ImVec2 at, size;
};
using Columns = std::array<Column, 3>;

std::vector<const PanelRow*> open_panels(Settings& settings, Pane pane) {
  std::vector<const PanelRow*> open;
  for (const PanelRow& row : panel_rows())
    if (const Settings::Panel& state = state_of(settings, row); state.open && state.pane == pane)
      open.push_back(&row);
  return open;
}

// Draws a bar between two panes that moves their common edge. Returns the distance dragged since
// the last frame, in pixels.
float splitter(const char* id, ImVec2 at, ImVec2 size, bool vertical) {
  size = {std::max(size.x, 1.0f), std::max(size.y, 1.0f)};
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin(id, nullptr,
               pane_flags | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground);
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

// Returns the column under the mouse, or null if there is none. A column without panels has no
// width and is never returned.
const Column* column_under(const Columns& columns, ImVec2 mouse) {
  for (const Column& column : columns)
    if (mouse.x >= column.at.x && mouse.x < column.at.x + column.size.x && mouse.y >= column.at.y &&
        mouse.y < column.at.y + column.size.y)
      return &column;
  return nullptr;
}

void drag_tab(Editor& editor, const PanelRow& row, const Columns& columns, bool dropped) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Column* column = column_under(columns, mouse);
  if (!column) return;
  const float split = std::floor(column->size.y * editor.settings.top[size_t(column->top) / 2]);
  const bool above = mouse.y < column->at.y + split;
  const Pane target = above ? column->top : column->bottom;
  if (dropped) {
    if (target != state_of(editor.settings, row).pane)
      try_action(editor, "panel.move", {row.name, name(target)});
    return;
  }
  const float y = column->at.y + (above ? 0 : split),
              height = above ? split : column->size.y - split;
  ImGui::GetForegroundDrawList()->AddRectFilled({column->at.x, y},
                                                {column->at.x + column->size.x, y + height},
                                                color_u32(Shade::accent, 0.2f));
}

void tab_menu(Editor& editor, const PanelRow& row) {
  if (!ImGui::BeginPopupContextItem("menu")) return;
  const Pane present = state_of(editor.settings, row).pane;
  if (ImGui::MenuItem("Close")) try_action(editor, "panel.show", {row.name, "off"});
  ImGui::Separator();
  for (const Pane pane : all_panes)
    if (ImGui::MenuItem(fmt::format("Move to the {}", title(pane)).c_str(), nullptr,
                        pane == present, pane != present))
      try_action(editor, "panel.move", {row.name, name(pane)});
  ImGui::EndPopup();
}

void draw_tab(Editor& editor, const PanelRow& row, bool front, float width,
              const Columns& columns) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetFrameHeight(), pad = ImGui::GetStyle().FramePadding.x,
              cross = scaled(3.5f), x = at.x + width - pad - cross, y = at.y + height / 2;
  ImGui::PushID(row.name);
  ImGui::InvisibleButton("tab", {width, height});
  const bool hovered = ImGui::IsItemHovered(),
             on_cross = hovered && ImGui::GetIO().MousePos.x > x - cross * 2;
  const bool dragged =
      ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, scaled(12));
  if (dragged) drag_tab(editor, row, columns, false);
  if (ImGui::IsItemDeactivated() && ImGui::IsMouseReleased(ImGuiMouseButton_Left)) {
    if (!hovered)
      drag_tab(editor, row, columns, true);
    else
      try_action(editor, "panel.show", {row.name, on_cross ? "off" : "on"});
  }
  if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Middle))
    try_action(editor, "panel.show", {row.name, "off"});
  if (hovered && row.letter)
    tooltip(fmt::format("{}  ({})", row.title, shortcut_text(shortcut_of(row))));
  tab_menu(editor, row);
  ImGui::PopID();

  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (front || hovered)
    draw->AddRectFilled(at, {at.x + width, at.y + height},
                        ImGui::GetColorU32(front ? ImGuiCol_WindowBg : ImGuiCol_FrameBg));
  if (front) draw->AddRectFilled(at, {at.x + width, at.y + scaled(2)}, color_u32(Shade::accent));
  const std::string shown = shortened(row.title, width - 2 * pad - (hovered ? 3 * cross : 0));
  draw->AddText({at.x + pad, at.y + ImGui::GetStyle().FramePadding.y},
                front ? ImGui::GetColorU32(ImGuiCol_Text) : color_u32(Shade::dim), shown.c_str());
  if (!hovered) return;
  const ImU32 ink = on_cross ? ImGui::GetColorU32(ImGuiCol_Text) : color_u32(Shade::dim);
  draw->AddLine({x - cross, y - cross}, {x + cross, y + cross}, ink, scaled(1.5f));
  draw->AddLine({x - cross, y + cross}, {x + cross, y - cross}, ink, scaled(1.5f));
}

// Draws the tabs of a pane. If there is not enough room, all tabs get the same smaller width.
void draw_tabs(Editor& editor, const std::vector<const PanelRow*>& open, const PanelRow* front,
               const Columns& columns) {
  std::vector<float> widths;
  float total = 0;
  for (const PanelRow* row : open) {
    widths.push_back(ImGui::CalcTextSize(row->title).x + 2 * ImGui::GetStyle().FramePadding.x +
                     scaled(16));
    total += widths.back();
  }
  const float room = ImGui::GetWindowWidth(), part = std::min(1.0f, room / total);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::SetCursorPosX(0);
  for (size_t k = 0; k < open.size(); ++k)
    draw_tab(editor, *open[k], open[k] == front, std::floor(widths[k] * part), columns);
  ImGui::PopStyleVar();
}

void no_scene(const Editor& editor) {
  if (!editor.now->task.empty()) return dim_text(editor.now->task + " ...");
  dim_text(last_error(*editor.now).empty() ? "No scene. Press Ctrl+O to open one."
                                           : "The scene could not be loaded: see Problems.");
}

void draw_pane(Editor& editor, Pane pane, ImVec2 at, ImVec2 size, const Columns& columns) {
  if (std::min(size.x, size.y) < scaled(least_drawn)) return;
  const std::vector<const PanelRow*> open = open_panels(editor.settings, pane);
  const PanelRow& front = *front_panel(editor.settings, pane);
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  // The ImGui window has the title of the panel, so each panel has its own scroll position. The
  // menu bar does not scroll.
  if (ImGui::Begin(front.title, nullptr, pane_flags | ImGuiWindowFlags_MenuBar)) {
    if (ImGui::BeginMenuBar()) {
      draw_tabs(editor, open, &front, columns);
      ImGui::EndMenuBar();
    }
    if (editor.has_scene() || !front.needs_scene)
      editor.panels.at(front).draw(editor);
    else
      no_scene(editor);
  }
  ImGui::End();
}

bool empty(Settings& settings, Pane pane) {
  return !front_panel(settings, pane);
}

void draw_column(Editor& editor, const Column& column, const Columns& columns) {
  Settings& settings = editor.settings;
  const auto [top, bottom, at, size] = column;
  if (empty(settings, top) && empty(settings, bottom)) return;
  if (empty(settings, top) || empty(settings, bottom))
    return draw_pane(editor, empty(settings, top) ? bottom : top, at, size, columns);
  const float bar = scaled(gap), room = std::max(size.y - bar, 1.0f),
              least = std::min(scaled(least_height) / room, 0.5f);
  float& part = settings.top[size_t(top) / 2];
  const float height = std::floor(room * std::clamp(part, least, 1 - least));
  draw_pane(editor, top, at, {size.x, height}, columns);
  draw_pane(editor, bottom, {at.x, at.y + height + bar}, {size.x, room - height}, columns);
  const float moved = splitter(fmt::format("##below {}", name(top)).c_str(), {at.x, at.y + height},
                               {size.x, bar}, false);
  if (moved != 0) part = std::clamp(part + moved / room, least, 1 - least);
}

}  // namespace

Settings::Panel& state_of(Settings& settings, const PanelRow& row) {
  return settings.panels.try_emplace(row.name, Settings::Panel{true, row.pane}).first->second;
}

const PanelRow* front_panel(Settings& settings, Pane pane) {
  const std::vector<const PanelRow*> open = open_panels(settings, pane);
  for (const PanelRow* row : open)
    if (settings.front[size_t(pane)] == row->name) return row;
  return open.empty() ? nullptr : open.front();
}

bool in_front(Settings& settings, const PanelRow& row) {
  return front_panel(settings, state_of(settings, row).pane) == &row;
}

void bring_to_front(Settings& settings, const PanelRow& row) {
  Settings::Panel& state = state_of(settings, row);
  state.open = true;
  settings.front[size_t(state.pane)] = row.name;
}

void draw_panes(Editor& editor, ImVec2 at, ImVec2 size) {
  Settings& settings = editor.settings;
  const float bar = scaled(gap);
  const auto has = [&](Pane top, Pane bottom) {
    return !empty(settings, top) || !empty(settings, bottom);
  };
  const bool has_left = has(Pane::left_top, Pane::left_bottom),
             has_center = has(Pane::center_top, Pane::center_bottom),
             has_right = has(Pane::right_top, Pane::right_bottom);
  // The neighbours of a column without panels use its space.
  float left = has_left ? std::floor(size.x * settings.left) : -bar,
        right = has_right ? std::floor(size.x * settings.right) : -bar;
  if (!has_center && has_left && has_right)
    left = std::floor((size.x - bar) * left / (left + right)), right = size.x - bar - left;
  else if (!has_center && (has_left || has_right))
    (has_left ? left : right) = size.x;
  const Columns columns{
      {{Pane::left_top, Pane::left_bottom, at, {left, size.y}},
       {Pane::center_top,
        Pane::center_bottom,
        {at.x + left + bar, at.y},
        {size.x - left - right - 2 * bar, size.y}},
       {Pane::right_top, Pane::right_bottom, {at.x + size.x - right, at.y}, {right, size.y}}}};
  for (const Column& column : columns) draw_column(editor, column, columns);
  const auto drag = [&](const char* id, float x, float& part, float sign) {
    const float moved = splitter(id, {x, at.y}, {bar, size.y}, true) / std::max(size.x, 1.0f);
    if (moved != 0) part = std::clamp(part + sign * moved, least_width, 0.45f);
  };
  if (has_left && (has_center || has_right)) drag("##left", at.x + left, settings.left, 1);
  if (has_right && has_center) drag("##right", at.x + size.x - right - bar, settings.right, -1);
}

}  // namespace torsor::editor
