#include "editor/panels/studies/studies.hpp"

#include <fmt/format.h>
#include <imgui.h>
// This header must follow the headers of ImGui.
#include <imgui_stdlib.h>

#include <algorithm>
#include <tuple>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/panels/studies/diagram.hpp"
#include "editor/panels/studies/open_sample.hpp"
#include "editor/panels/studies/row_table.hpp"
#include "editor/panels/studies/statistics_view.hpp"
#include "editor/panels/studies/study_actions.hpp"
#include "editor/session/session.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

std::shared_ptr<const StudyData> compute_data(const StudiesPanel::Source& source) {
  return source.file.empty() ? nullptr : read_study(source.file);
}
std::pair<StudiesPanel::DataPointer, RowSelection> compute_selection(
    const StudiesPanel::SelectionKey& key) {
  return {key.data, key.data ? select_rows(*key.data, key.request) : RowSelection()};
}
StudyPicture compute_picture(const PictureRequest& request) {
  return request.data ? study_picture(request) : StudyPicture();
}
std::pair<StudiesPanel::DataPointer, StudyStatistics> compute_statistics(
    const StudiesPanel::StatisticsKey& key) {
  const StudyField* field = key.data ? key.data->find(key.outcome) : nullptr;
  if (!field || field->role != StudyField::Role::outcome) return {key.data, {}};
  return {key.data, study_statistics(key.data->layout, key.data->columns, field->index,
                                     key.data->columns.outcomes[field->index])};
}

}  // namespace

const StudyData& need_study(const StudiesPanel& panel) {
  if (!panel.data())
    throw Error(panel.table.error().empty() ? "no study is open" : panel.table.error());
  return *panel.data();
}

std::span<const Action> StudiesPanel::actions() {
  return study_actions();
}

// Reads the table again if the file has changed, while the panel is in front.
void StudiesPanel::look_for_changes() {
  const auto now = std::chrono::steady_clock::now();
  const bool rested =
      table.rested() && selection.rested() && picture.rested() && statistics.rested();
  if (now < next_look_ || !rested || !data()) return;
  next_look_ = now + std::chrono::seconds(1);
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(source.file, failed);
  if (!failed && source.file == data()->file && written != data()->written) ++source.version;
}

// Selects columns for the diagram that exist in the study.
void StudiesPanel::choose_columns() {
  const StudyData& study = *data();
  const auto& [parameters, outcomes] = std::tie(study.layout.parameters, study.layout.outcomes);
  const std::string first_outcome = outcomes.empty() ? "wall_time" : outcomes[0].name;
  if (!study.find(y)) y = first_outcome;
  if (!study.find(x)) x = parameters.empty() ? "sample" : parameters[0].name;
  if (!study.find(rows.sorted)) rows.sorted = "sample", rows.descending = false;
  try {
    (void)RowFilter(study, rows.filter);
  } catch (const Error&) {  // the filter of another study
    rows.filter.clear();
    typed_filter.clear();
  }
  if (selected && !study.row_of(*selected)) selected.reset();
}

void StudiesPanel::begin_frame(Editor& editor) {
  table.follow(source, compute_data);
  const DataPointer now = data();
  if (now && now != seen_) {
    const bool other = !seen_ || seen_->file != now->file;
    seen_ = now;
    choose_columns();
    if (other) {
      x_range.reset();
      y_range.reset();
      selected.reset();
      editor.remember(now->file);
    }
  }
  selection.follow({now, rows}, compute_selection);
  if (const auto on_display = shown(); on_display && on_display->first)
    picture.follow(
        {on_display->first, std::shared_ptr<const RowSelection>(on_display, &on_display->second),
         diagram, x, y},
        compute_picture);
  statistics.follow({now, y}, compute_statistics);
  // Without a user, the error of a table ends the program.
  if (const std::string& error = table.error(); error != reported_) {
    reported_ = error;
    if (!error.empty() && !editor.attended)
      editor.session.post(command::Report{{Problem::Kind::error, error}});
  }
}

bool StudiesPanel::up_to_date() const {
  return table.up_to_date() && selection.up_to_date() && picture.up_to_date() &&
         statistics.up_to_date();
}

namespace {

void draw_error(const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
  draw_wrapped_text(text);
  ImGui::PopStyleColor();
}

// Returns how many samples have results, and how many are on display.
std::string counts_of(const StudiesPanel& panel, const StudyData& data) {
  const uint64_t results = data.n_results();
  std::string text = results == data.rows()
                         ? fmt::format("{} samples", results)
                         : fmt::format("{} of {} samples have results", results, data.rows());
  if (const auto shown = panel.shown(); shown && shown->second.rows.size() < data.rows())
    text += fmt::format(", {} match", shown->second.rows.size());
  return text;
}

// Draws the name of the table, the number of its results, and the buttons.
void draw_title(Editor& editor, const StudiesPanel& panel, const StudyData& data) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(data.file.filename().c_str());
  tooltip(data.file.string());
  const std::string counts = counts_of(panel, data);
  continue_line(ImGui::CalcTextSize(counts.c_str()).x, scaled(8));
  dim_text(counts);
  const std::string sample =
      panel.selected ? fmt::format("Open sample {}", *panel.selected) : std::string("Open sample");
  constexpr float between = 4;
  continue_line(button_width("Open..."), scaled(10));
  action_button(editor, "Open...", "scene.open");
  continue_line(button_width("Reload"), scaled(between));
  action_button(editor, "Reload", "study.reload");
  continue_line(button_width("Open scene"), scaled(between));
  action_button(editor, "Open scene", "study.scene");
  continue_line(button_width(sample.c_str()), scaled(between));
  ImGui::BeginDisabled(!panel.selected);
  action_button(editor, (sample + "###open").c_str(), "study.sample");
  ImGui::EndDisabled();
}

// Draws the message of the selected sample, if it has one.
void draw_message(const StudiesPanel& panel, const StudyData& data) {
  const auto row = panel.selected ? data.row_of(*panel.selected) : std::nullopt;
  if (!row || data.columns.failure[*row] == 0) return;
  draw_error(
      fmt::format("Sample {}: {}", *panel.selected, data.text(data.require("failure"), *row)));
}

constexpr const char* filter_help =
    "Conditions on columns, joined by 'and' and 'or':\n"
    "  peak > 2 and law = pid\n"
    "  status = failed or wall_time >= 0.5\n"
    "Operators: < <= > >= = !=. The value '-' is a missing one.\n"
    "A right click on the head of a column also adds a condition.";

// Draws the field of the filter, and a button that clears it.
void draw_filter(Editor& editor, StudiesPanel& panel, float width) {
  const float clear = panel.typed_filter.empty() ? 0 : button_width("×") + scaled(3);
  ImGui::SetNextItemWidth(width - clear);
  if (ImGui::InputTextWithHint("##filter", "Filter, as in  sample < 100", &panel.typed_filter))
    try {
      (void)RowFilter(need_study(panel), panel.typed_filter);
      panel.rows.filter = panel.typed_filter;
    } catch (const Error&) {  // shown below the field
    }
  tooltip(filter_help);
  if (clear == 0) return;
  ImGui::SameLine(0, scaled(3));
  if (ImGui::Button("×")) try_action(editor, "study.filter");
  tooltip("Remove the filter");
}

// Draws a toggle for each status that occurs, with its number of samples.
void draw_statuses(Editor& editor, const StudiesPanel& panel, const StudyData& data) {
  for (int k = 0; k < n_sample_statuses; ++k) {
    const auto status = SampleStatus(k);
    const uint64_t n = data.statuses[size_t(k)];
    if (n == 0) continue;
    const std::string label = fmt::format("{} {}", n, name(status));
    continue_line(button_width(label.c_str()) + ImGui::GetFrameHeight(), scaled(8));
    const bool shown = panel.rows.statuses[size_t(k)];
    ImGui::PushStyleColor(ImGuiCol_Text, status_color(status));
    action_toggle(editor, fmt::format("{}###status{}", label, k).c_str(), shown, "study.status",
                  {name(status), shown ? "off" : "on"});
    ImGui::PopStyleColor();
  }
}

// Draws the row of the filters, and the reason why the text of the filter is invalid.
void draw_filters(Editor& editor, StudiesPanel& panel, const StudyData& data) {
  constexpr size_t many_columns = 10;
  const bool with_columns = data.fields.size() > many_columns || !panel.columns.empty();
  const float room = ImGui::GetContentRegionAvail().x;
  draw_filter(editor, panel, std::clamp(0.4f * room, scaled(140), scaled(420)));
  draw_statuses(editor, panel, data);
  if (with_columns) {
    continue_line(scaled(120), scaled(8));
    ImGui::SetNextItemWidth(std::min(scaled(120), ImGui::GetContentRegionAvail().x));
    ImGui::InputTextWithHint("##columns", "Columns", &panel.columns);
    tooltip("Show only columns whose names contain this text");
  }
  if (panel.typed_filter == panel.rows.filter) return;
  try {
    (void)RowFilter(data, panel.typed_filter);
  } catch (const Error& error) {
    draw_error(error.what());
  }
}

// Draws a bar that changes the width of the table.
void draw_splitter(StudiesPanel& panel, float left, float height) {
  ImGui::SameLine(0, 0);
  ImGui::InvisibleButton("split", {scaled(6), std::max(height, 1.0f)});
  if (ImGui::IsItemHovered() || ImGui::IsItemActive())
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActive() && panel.table_part > 0)
    panel.table_part = std::clamp(
        panel.table_part * (left + ImGui::GetIO().MouseDelta.x) / std::max(left, 1.0f), 0.2f, 0.8f);
  ImGui::SameLine(0, 0);
}

void draw_diagram_pane(Editor& editor, StudiesPanel& panel) {
  draw_diagram_choice(editor, panel);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float statistics = scaled(300);
  const bool beside = room.x > statistics + scaled(340);
  const float height = beside ? room.y : std::clamp(0.6f * room.y, scaled(140), scaled(420));
  ImGui::BeginChild("diagram", {beside ? room.x - statistics : 0, height});
  draw_diagram(editor, panel);
  ImGui::EndChild();
  if (beside) {
    ImGui::SameLine();
    ImGui::BeginChild("statistics");
  }
  draw_study_statistics(editor, panel);
  if (beside) ImGui::EndChild();
}

void draw_body(Editor& editor, StudiesPanel& panel) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = room.x > scaled(480);
  const float left = std::floor(room.x * panel.table_part);
  const float height = std::max(beside ? room.y : std::floor(room.y * 0.45f), scaled(90));
  ImGui::BeginChild("table", {beside ? left : 0, height});
  draw_row_table(editor, panel);
  ImGui::EndChild();
  if (beside) draw_splitter(panel, left, height);
  ImGui::BeginChild("pane", {0, beside ? height : 0});
  draw_diagram_pane(editor, panel);
  ImGui::EndChild();
}

}  // namespace

void StudiesPanel::draw(Editor& editor) {
  look_for_changes();
  if (!table.error().empty()) draw_error(table.error());
  const DataPointer study = data();
  if (!study) {
    dim_text(table.up_to_date() ? "No study. Open the table that `torsor study SCENE` has written."
                                : fmt::format("reading {} ...", source.file.string()));
    action_button(editor, "Open...", "scene.open");
    return;
  }
  draw_title(editor, *this, *study);
  draw_opened_sample(editor, *study);
  draw_message(*this, *study);
  draw_filters(editor, *this, *study);
  draw_body(editor, *this);
}

std::optional<std::vector<std::string>> StudiesPanel::candidates(Editor& editor,
                                                                 const Action& action,
                                                                 std::string_view word,
                                                                 const Arguments&) {
  if (word == "FILE" && std::string_view(action.name) == "study.open")
    return editor.settings.recent;
  if (word == "STATUS") {
    std::vector<std::string> names;
    for (int k = 0; k < n_sample_statuses; ++k) names.emplace_back(name(SampleStatus(k)));
    return names;
  }
  if (word != "COLUMN" || !data()) return std::nullopt;
  return names_of(data()->fields);
}

}  // namespace torsor::editor
