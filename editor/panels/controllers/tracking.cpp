#include "editor/panels/controllers/tracking.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/edits/position.hpp"
#include "editor/panels/controllers/controllers.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/plot/plot.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

struct Shown {
  const char* heading;
  double (*value)(const Tracked&);
};
constexpr Shown with_reference[] = {
    {"Ref.", [](const Tracked& row) { return row.reference; }},
    {"Actual", [](const Tracked& row) { return row.actual; }},
    {"Error", [](const Tracked& row) { return row.error; }},
    {"Ref. vel.", [](const Tracked& row) { return row.reference_rate; }},
    {"Vel.", [](const Tracked& row) { return row.rate; }},
    {"τ", [](const Tracked& row) { return row.motor_torque; }}};
constexpr Shown without_reference[] = {{"Actual", [](const Tracked& row) { return row.actual; }},
                                       {"Vel.", [](const Tracked& row) { return row.rate; }},
                                       {"τ", [](const Tracked& row) { return row.motor_torque; }}};

std::string short_number(double x) {
  if (std::isnan(x)) return "-";
  const double size = std::abs(x);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) return fmt::format("{:.1e}", x);
  return fmt::format("{:.{}f}", x, size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0);
}

std::string row_text(const Tracked& row, bool has_reference) {
  std::string out = row.name;
  if (!row.column.empty()) out += fmt::format("; error, velocities and τ belong to {}", row.column);
  const auto line = [&](const char* what, double x, std::string_view unit) {
    out += fmt::format("\n{}: {:.9g} {}", what, x, unit);
  };
  if (has_reference) line("Reference", row.reference, row.unit);
  line("Actual", row.actual, row.unit);
  if (has_reference) line("Error", row.error, row.unit);
  if (has_reference) line("Reference velocity", row.reference_rate, row.rate_unit);
  line("Velocity", row.rate, row.rate_unit);
  if (row.torque_unit.empty()) return out;
  line("Requested torque", row.requested, row.torque_unit);
  line("Motor torque", row.motor_torque, row.torque_unit);
  if (std::isfinite(row.limit)) line("Limit", row.limit, row.torque_unit);
  return out + (row.saturated() ? "\nSaturated" : "");
}

// Returns the columns of the table. Omits the torque for a frame, and the velocities in a narrow
// panel.
std::vector<Shown> columns_shown(const Tracking& tracked) {
  if (!tracked.has_reference) return {std::begin(without_reference), std::end(without_reference)};
  std::vector<Shown> out(std::begin(with_reference), std::end(with_reference));
  if (tracked.of_frame) out.pop_back();
  if (ImGui::GetContentRegionAvail().x < scaled(430)) out.erase(out.begin() + 3, out.begin() + 5);
  return out;
}

void draw_row(Editor& editor, const Tracked& row, const std::vector<Shown>& columns,
              bool has_reference) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable(row.name.c_str(), editor.panel<ControllersPanel>().entry == row.name,
                        ImGuiSelectableFlags_SpanAllColumns))
    try_action(editor, "control.draw", {row.name});
  tooltip(row_text(row, has_reference));
  for (const Shown& column : columns) {
    ImGui::TableNextColumn();
    const bool marked = row.saturated() && std::string_view(column.heading) == "τ";
    if (marked) ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
    ImGui::TextUnformatted((short_number(column.value(row)) + (marked ? "!" : "")).c_str());
    if (marked) ImGui::PopStyleColor();
  }
}

// Returns all units without duplicates: "rad, m".
std::string units_text(const Tracking& tracked, std::string_view Tracked::*unit) {
  std::vector<std::string_view> units;
  for (const Tracked& row : tracked.entries)
    if (!(row.*unit).empty() && std::ranges::find(units, row.*unit) == units.end())
      units.push_back(row.*unit);
  return fmt::format("{}", fmt::join(units, ", "));
}

void draw_numbers(Editor& editor, const Tracking& tracked) {
  std::string units = fmt::format("Units: {}; velocities {}", units_text(tracked, &Tracked::unit),
                                  units_text(tracked, &Tracked::rate_unit));
  if (!tracked.of_frame) units += "; τ " + units_text(tracked, &Tracked::torque_unit);
  ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::dim));
  clipped_text(units, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  const std::vector<Shown> columns = columns_shown(tracked);
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp |
                                    ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_BordersInnerV;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {scaled(3), scaled(1)});
  if (ImGui::BeginTable("tracking", 1 + int(columns.size()), flags)) {
    ImGui::TableSetupColumn(tracked.of_frame ? tracked.frame.c_str() : "Joint");
    for (const Shown& column : columns) ImGui::TableSetupColumn(column.heading);
    ImGui::TableHeadersRow();
    for (const Tracked& row : tracked.entries)
      draw_row(editor, row, columns, tracked.has_reference);
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

// --- over time -----------------------------------------------------------------------------------

// Returns the curve of one column of a signal, or an empty curve if it is not sampled yet.
PlotLine sampled_line(const Editor& editor, const std::string& signal, size_t column,
                      const Range& time, int pixels) {
  PlotLine out;
  editor.sampler.read(signal, [&](const Samples& samples) {
    if (column < samples.values.size())
      out =
          decimate(time_columns(samples.time, time, pixels), samples.time, samples.values[column]);
  });
  return out;
}

void draw_diagram(Editor& editor, const char* id, const char* unit,
                  const std::vector<PlotCurve>& curves, bool labels) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = scaled(labels ? 96 : 80);
  const Range time = shown_time(editor);
  Extremes extremes;
  for (const PlotCurve& curve : curves)
    for (const PlotPoint& point : curve.line.points)
      if (point.time >= time.low && point.time <= time.high) extremes.include(point.value);
  Plot plot{.unit = unit};
  const Range values = fitted(extremes);
  const float bottom = at.y + height - (labels ? time_label_height() : 0) - scaled(4);
  const float left = at.x + value_label_width(ticks(values, value_tick_room(bottom - at.y)), unit);
  plot.time_labels = labels;
  plot.time = {time, left, at.x + width - scaled(8)};
  plot.value = {values, bottom, at.y + scaled(5)};
  plot.time_ticks = ticks(time, time_tick_room(plot.time.end - plot.time.begin));
  plot.value_ticks = ticks(values, value_tick_room(plot.value.begin - plot.value.end));
  plot.present = editor.now->time();
  plot.cursor = editor.panel<PlotsPanel>().cursor;
  plot.curves = curves;
  plot.strong = curves.size() > 1 ? 0 : -1;
  const PlotGesture gesture = draw_plot(id, plot);
  if (gesture.go)
    try_action(editor, "time.go", {fmt::format("{:.9g}", std::max(0.0, *gesture.go))});
  ImGui::SetCursorScreenPos({at.x, at.y + height});
  ImGui::Dummy({width, 0});
}

// Returns the column of the signal q that contains the coordinate of a dof of the control's robot.
// Returns nullopt for a component of a quaternion.
std::optional<size_t> column_of_actual(const Editor& editor, const Control& control, size_t entry) {
  const Model& model = editor.model();
  const Robot& robot = model.robots[size_t(control.robot)];
  const int place = moved_positions(model)[size_t(robot.first_v) + entry];
  const int coordinate = positions(model)[size_t(place)].coordinate;
  if (coordinate < 0) return std::nullopt;
  return size_t(coordinate - robot.first_q);
}

void draw_over_time(Editor& editor, size_t k, const Tracking& tracked) {
  ControllersPanel& panel = editor.panel<ControllersPanel>();
  const Control& control = active_load(editor).controls[k];
  auto row = std::ranges::find(tracked.entries, panel.entry, &Tracked::name);
  if (row == tracked.entries.end()) row = tracked.entries.begin();
  panel.entry = row->name;
  const size_t entry = size_t(row - tracked.entries.begin());
  const int pixels = std::max(16, int(ImGui::GetContentRegionAvail().x));
  const Range time = shown_time(editor);
  std::vector<PlotCurve> followed(1, {curve_color(0), {}});
  if (!tracked.of_frame)
    if (const auto column = column_of_actual(editor, control, entry))
      followed[0].line =
          sampled_line(editor, actual_signal(editor, control), *column, time, pixels);
  const auto& references = panel.references(editor, k);
  if (entry < references.size()) followed.push_back({curve_color(1), references[entry]});
  dim_text(fmt::format("{}: actual and reference (thin line)", row->name));
  draw_diagram(editor, "followed", std::string(row->unit).c_str(), followed, false);
  // The signal of a frame's error has the rotation first; the entries have the position first.
  const size_t place = tracked.of_frame ? (entry + 3) % 6 : entry;
  dim_text(fmt::format("{}: error", row->name));
  draw_diagram(
      editor, "error", std::string(row->unit).c_str(),
      {{curve_color(4), sampled_line(editor, error_signal(editor, control), place, time, pixels)}},
      true);
}

}  // namespace

void draw_tracking(Editor& editor, size_t k) {
  const Tracking& tracked = editor.panel<ControllersPanel>().tracked(editor, k);
  if (!ImGui::CollapsingHeader(tracked.has_reference ? "Tracking" : "Joints",
                               ImGuiTreeNodeFlags_DefaultOpen))
    return;
  if (!tracked.failure.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
    draw_wrapped_text(tracked.failure);
    ImGui::PopStyleColor();
  }
  if (tracked.entries.empty()) return;
  draw_numbers(editor, tracked);
  if (tracked.has_reference) draw_over_time(editor, k, tracked);
}

}  // namespace torsor::editor
