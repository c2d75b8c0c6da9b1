// Draws the constraint step of the Explain panel.

#include "editor/panels/explain/constraints.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/panels/dynamics/equation.hpp"
#include "editor/probe/constraint_step.hpp"
#include "editor/widgets/matrix_plot.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

const char* unit(const ConstraintRow& row) {
  return row.turns ? "rad" : "m";
}
const char* unit_of_multiplier(const ConstraintRow& row) {
  return row.turns ? "N m" : "N";
}

size_t rank(const ConstraintStep& step) {
  return size_t(std::ranges::count(step.rows, true, &ConstraintRow::independent));
}

// Numbers that are only rounding errors are shown as 0.
std::string short_text(double x) {
  return fmt::format("{:.3g}", std::abs(x) < 1e-12 ? 0 : x);
}

struct NumberColumn {
  const char *symbol, *help;
};

// Begins a table of names and numbers. The column of names takes the rest of the width.
bool begin_numbers(const char* id, std::span<const NumberColumn> columns) {
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable(id, int(columns.size()) + 1, flags)) return false;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  for (const NumberColumn& column : columns)
    ImGui::TableSetupColumn(column.symbol, ImGuiTableColumnFlags_WidthFixed, scaled(66));
  ImGui::TableNextRow();
  for (size_t k = 0; k < columns.size(); ++k) {
    ImGui::TableSetColumnIndex(int(k) + 1);
    draw_equation(columns[k].symbol);
    tooltip(columns[k].help);
  }
  return true;
}

void number_cell(double x, const char* unit) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(short_text(x).c_str());
  tooltip(fmt::format("{:.9g} {}", x, unit));
}

void draw_rows(const Model& model, const ConstraintStep& step) {
  constexpr NumberColumn columns[] = {{"phi", "Position error, m or rad"},
                                      {"J v", "Rate of phi, m/s or rad/s"},
                                      {"Jd v", "Acceleration of phi at vdot = 0"}};
  const std::vector<std::string> names = model.dof_names();
  if (!begin_numbers("rows", columns)) return;
  for (const ConstraintRow& row : step.rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    clipped_text(row.name, ImGui::GetContentRegionAvail().x);
    number_cell(row.error, unit(row));
    number_cell(row.rate, row.turns ? "rad/s" : "m/s");
    number_cell(row.bias, row.turns ? "rad/s^2" : "m/s^2");
  }
  ImGui::EndTable();
  dim_text("Entries of J that are not zero");
  for (const ConstraintRow& row : step.rows) {
    std::string entries;
    for (const auto& [dof, factor] : row.terms)
      if (std::abs(factor) > 1e-12)
        entries +=
            fmt::format("{}{} {:.4g}", entries.empty() ? "" : ", ", names[size_t(dof)], factor);
    draw_wrapped_text(fmt::format("{}: {}", row.name, entries.empty() ? "none" : entries));
  }
}

void draw_delassus(const ConstraintStep& step) {
  NumberTable table{.name = "G", .title = "Delassus operator", .source = "J M^-1 J^T"};
  table.entry_unit = [](bool row_turns, bool column_turns) {
    return row_turns && column_turns   ? "1/(kg m^2)"
           : row_turns || column_turns ? "1/(kg m)"
                                       : "1/kg";
  };
  for (const ConstraintRow& row : step.rows) {
    table.rows.push_back(row.name);
    table.row_turns.push_back(row.turns);
  }
  table.columns = table.rows;
  table.column_turns = table.row_turns;
  table.x = step.G;
  draw_heat_map(table);
}

void draw_independence(const ConstraintStep& step) {
  draw_wrapped_text(fmt::format("{} rows, rank {}.", step.rows.size(), rank(step)));
  std::string dependent;
  for (const ConstraintRow& row : step.rows)
    if (!row.independent) dependent += (dependent.empty() ? "" : "; ") + row.name;
  if (dependent.empty()) return;
  draw_wrapped_text("Rows that depend on the others: " + dependent +
                    ". Their multipliers are those of least norm.");
}

void draw_multipliers(const ConstraintStep& step) {
  constexpr NumberColumn columns[] = {
      {"free", "J vdot_0 + Jd v: acceleration of phi without the constraints"},
      {"a", "J vdot + Jd v: acceleration of phi, 0 except for prescribed motion"},
      {"lambda", "Multiplier, N or N m"}};
  if (!begin_numbers("multipliers", columns)) return;
  for (const ConstraintRow& row : step.rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    clipped_text(row.name, ImGui::GetContentRegionAvail().x);
    const char* rate = row.turns ? "rad/s^2" : "m/s^2";
    number_cell(row.free, rate);
    // Relative to the free acceleration, only rounding errors are left.
    number_cell(std::abs(row.constrained) < 1e-9 * (1 + std::abs(row.free)) ? 0 : row.constrained,
                rate);
    number_cell(row.multiplier, unit_of_multiplier(row));
  }
  ImGui::EndTable();
}

void draw_accelerations(const Model& model, const ConstraintStep& step) {
  constexpr NumberColumn columns[] = {{"vdot_0", "Acceleration without the constraints"},
                                      {"change", "M^-1 J^T lambda"},
                                      {"vdot", "Acceleration"}};
  const std::vector<std::string> names = model.dof_names();
  if (!begin_numbers("accelerations", columns)) return;
  for (size_t dof = 0; dof < names.size(); ++dof) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    clipped_text(names[dof], ImGui::GetContentRegionAvail().x);
    const char* rate = model.dof(int(dof)).turns() ? "rad/s^2" : "m/s^2";
    for (const double x : {step.vdot_0[dof], step.change[dof], step.vdot[dof]})
      number_cell(x, rate);
  }
  ImGui::EndTable();
}

void heading(const char* text, const char* equation) {
  ImGui::Separator();
  draw_wrapped_text(text);
  draw_equation(equation);
}

}  // namespace

void draw_constraint_step(const Model& model, const ConstraintStep& step) {
  if (!step.failure.empty()) return draw_wrapped_text(step.failure);
  if (step.motor_rows > 0)
    dim_text(
        fmt::format("{} constraints of motors of elastic joints are not listed.", step.motor_rows));
  if (step.rows.empty()) return dim_text("No constraint is active.");
  heading("1. Rows of the constraints", "phid = J v,  phidd = J vdot + Jd v");
  draw_rows(model, step);
  heading("2. Delassus operator", "G = J M^-1 J^T");
  draw_delassus(step);
  heading("3. Independent rows", "rank G");
  draw_independence(step);
  heading("4. Multipliers", "G lambda = a - (J vdot_0 + Jd v)");
  draw_multipliers(step);
  heading("5. Accelerations", "vdot = vdot_0 + M^-1 J^T lambda");
  draw_accelerations(model, step);
}

std::string constraint_text(const ConstraintStep& step) {
  if (!step.failure.empty()) return step.failure + "\n";
  std::string out = fmt::format("constraints: {} rows, rank {}\n", step.rows.size(), rank(step));
  for (const ConstraintRow& row : step.rows)
    out += fmt::format("{}, phi {:.9g} {}, Jdot v {:.9g}, lambda {:.9g} {}{}\n", row.name,
                       row.error, unit(row), row.bias, row.multiplier, unit_of_multiplier(row),
                       row.independent ? "" : ", dependent");
  return out;
}

}  // namespace torsor::editor
