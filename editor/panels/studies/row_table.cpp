#include "editor/panels/studies/row_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/studies/open_sample.hpp"
#include "editor/panels/studies/studies.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

using Role = StudyField::Role;
using Fields = std::vector<const StudyField*>;

// Maximum number of columns. ImGui's tables have at most 64.
constexpr size_t most_columns = 60;

Fields shown_fields(const StudyData& data, const std::string& part) {
  Fields out;
  for (const StudyField& field : data.fields) {
    const bool always = field.role == Role::sample || field.role == Role::status;
    const bool is_empty = field.role == Role::failure && data.n_failures == 0;
    if (always || (!is_empty && contains(field.name, part))) out.push_back(&field);
  }
  return out;
}

bool is_number(const StudyField& field) {
  return field.labels.empty();
}

float initial_width(const StudyField& field) {
  float width = scaled(is_number(field) ? 82 : 50);
  constexpr size_t many = 20;
  for (size_t k = 0; k < std::min(many, field.labels.size()); ++k)
    width = std::max(width, ImGui::CalcTextSize(field.labels[k].c_str()).x);
  const float head = ImGui::CalcTextSize(field.head().c_str()).x + scaled(16);
  return std::max(std::min(width, scaled(field.role == Role::failure ? 320 : 130)),
                  std::min(head, scaled(220)));
}

void draw_head_menu(Editor& editor, StudiesPanel& panel, const StudyField& field) {
  if (!ImGui::BeginPopupContextItem("menu")) return;
  dim_text(field.head());
  for (const char* order : {"ascending", "descending"})
    if (ImGui::MenuItem(fmt::format("Sort {}", order).c_str()))
      try_action(editor, "study.sort", {field.name, order});
  if (ImGui::MenuItem("Add a condition"))
    panel.typed_filter += fmt::format("{}{} {} ", panel.typed_filter.empty() ? "" : " and ",
                                      field.name, is_number(field) ? ">" : "=");
  if (ImGui::MenuItem("Plot this column")) try_action(editor, "study.outcome", {field.name});
  if (ImGui::MenuItem("Plot over this column")) try_action(editor, "study.over", {field.name});
  ImGui::EndPopup();
}

// Draws a text of the width of the current cell, at its right edge if it fits and is a number.
void draw_aligned(const std::string& text, bool right) {
  const float room = ImGui::GetContentRegionAvail().x, width = ImGui::CalcTextSize(text.c_str()).x;
  if (right && width < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ImGui::TextUnformatted(text.c_str());
}

void draw_head(Editor& editor, StudiesPanel& panel, const StudyField& field) {
  const bool sorted = panel.rows.sorted == field.name;
  ImGui::PushID(field.name.c_str());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::TableHeader("##head");
  const bool hovered = ImGui::IsItemHovered();
  if (ImGui::IsItemClicked(0))
    try_action(editor, "study.sort",
               {field.name, sorted && !panel.rows.descending ? "descending" : "ascending"});
  tooltip(fmt::format("{}\nClick to sort, right click for more", field.head()));
  draw_head_menu(editor, panel, field);
  const float mark = sorted ? scaled(12) : 0;
  const std::string text = shortened(field.head(), room - mark);
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float left = is_number(field) ? at.x + room - width - mark : at.x;
  const ImU32 ink = hovered || sorted ? ImGui::GetColorU32(ImGuiCol_Text) : color_u32(Shade::dim);
  draw.AddText({left, at.y}, ink, text.c_str());
  if (sorted)
    draw.AddText({left + width + scaled(2), at.y}, color_u32(Shade::accent),
                 panel.rows.descending ? "▾" : "▴");
  ImGui::PopID();
}

void draw_heads(Editor& editor, StudiesPanel& panel, const Fields& fields) {
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const StudyField* field : fields)
    ImGui::TableSetupColumn(field->name.c_str(), ImGuiTableColumnFlags_WidthFixed,
                            initial_width(*field));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const StudyField* field : fields)
    if (ImGui::TableNextColumn()) draw_head(editor, panel, *field);
}

void draw_cell(const StudyData& data, const StudyField& field, size_t row) {
  const std::string text = data.text(field, row);
  const SampleStatus status = data.columns.status[row];
  const bool coloured = field.role == Role::status;
  if (text == "-")
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
  else if (coloured)
    ImGui::PushStyleColor(ImGuiCol_Text, status_color(status));
  draw_aligned(text, is_number(field));
  if (text == "-" || coloured) ImGui::PopStyleColor();
  if (field.role == Role::failure && text != "-") tooltip(text);
}

// Draws the cell of the sample, which selects its row.
void draw_sample_cell(Editor& editor, StudiesPanel& panel, const StudyData& data, size_t row) {
  const uint64_t sample = data.sample(row);
  const bool selected = panel.selected == sample;
  ImGui::PushID(int(row));
  const float x = ImGui::GetCursorPosX();
  if (ImGui::Selectable("##row", selected,
                        ImGuiSelectableFlags_SpanAllColumns |
                            ImGuiSelectableFlags_AllowDoubleClick |
                            ImGuiSelectableFlags_AllowItemOverlap)) {
    panel.selected = sample;
    if (ImGui::IsMouseDoubleClicked(0))
      try_action(editor, "study.sample", {fmt::format("{}", sample)});
  }
  ImGui::SameLine();
  ImGui::SetCursorPosX(x);
  draw_aligned(fmt::format("{}", sample), true);
  ImGui::PopID();
}

void draw_sample_row(Editor& editor, StudiesPanel& panel, const StudyData& data,
                     const Fields& fields, size_t row) {
  ImGui::TableNextRow();
  for (const StudyField* field : fields) {
    if (!ImGui::TableNextColumn()) continue;
    if (field->role == Role::sample)
      draw_sample_cell(editor, panel, data, row);
    else
      draw_cell(data, *field, row);
  }
}

// Scrolls such that the selected row is in the middle.
void scroll_to_selected(StudiesPanel& panel, const StudyData& data,
                        const std::vector<uint32_t>& order) {
  if (!panel.scrolls_to_selected || !panel.selected) return;
  panel.scrolls_to_selected = false;
  const auto row = data.row_of(*panel.selected);
  const auto found = row ? std::ranges::find(order, uint32_t(*row)) : order.end();
  if (found == order.end()) return;
  const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  ImGui::SetScrollY(
      std::max(0.0f, float(found - order.begin()) * height - ImGui::GetWindowHeight() / 2));
}

}  // namespace

ImVec4 status_color(SampleStatus status) {
  switch (status) {
    case SampleStatus::done:
      return ImGui::GetStyleColorVec4(ImGuiCol_Text);
    case SampleStatus::undefined:
      return color(Shade::warning);
    case SampleStatus::failed:
    case SampleStatus::over_limit:
      return color(Shade::error);
    case SampleStatus::not_run:
    case SampleStatus::started:
      return color(Shade::dim);
  }
  return {};
}

void draw_row_table(Editor& editor, StudiesPanel& panel) {
  const auto shown = panel.shown();
  if (!shown || !shown->first) return;
  const StudyData& data = *shown->first;
  const std::vector<uint32_t>& order = shown->second.order;
  Fields fields = shown_fields(data, panel.columns);
  if (fields.size() > most_columns) {
    dim_text(fmt::format("{} of {} columns; the field Columns selects others", most_columns,
                         fields.size()));
    fields.resize(most_columns);
  }
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                    ImGuiTableFlags_Resizable | ImGuiTableFlags_SizingFixedFit |
                                    ImGuiTableFlags_NoSavedSettings;
  // A different list of columns is another table of ImGui, so that it gets its own widths.
  ImGui::PushID(data.file.c_str());
  ImGui::PushID(panel.columns.c_str());
  if (ImGui::BeginTable("rows", int(fields.size()), flags)) {
    scroll_to_selected(panel, data, order);
    draw_heads(editor, panel, fields);
    ImGuiListClipper clipper;
    clipper.Begin(int(order.size()));
    while (clipper.Step())
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
        draw_sample_row(editor, panel, data, fields, order[size_t(k)]);
    ImGui::EndTable();
  }
  ImGui::PopID();
  ImGui::PopID();
}

}  // namespace torsor::editor
