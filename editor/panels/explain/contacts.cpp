// Draws the contacts of a step in the Explain panel.

#include "editor/panels/explain/contacts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "editor/app/editor.hpp"
#include "editor/panels/dynamics/equation.hpp"
#include "editor/panels/explain/constraint_solvers.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/solvers/solvers.hpp"
#include "editor/probe/contacts/contact_step.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

std::string pair_of_shapes(const Model& model, const ContactForce& force) {
  return fmt::format("{} - {}", model.colliders[size_t(force.a)].name,
                     model.colliders[size_t(force.b)].name);
}

std::string problem_text(const ContactStep& step) {
  const size_t n = step.problem.size();
  return fmt::format("{} points, {} rows, {} friction groups, {} entries of G ({:.3g} % of all)",
                     step.points.size(), n, step.problem.frictions.size(),
                     step.problem.value.size(),
                     100 * double(step.problem.value.size()) / (double(n) * double(n)));
}

void section(const char* text, std::initializer_list<const char*> equations) {
  ImGui::Separator();
  draw_wrapped_text(text);
  for (const char* equation : equations) draw_equation(equation);
}

void contact_cell(const std::string& text, const std::string& help) {
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(text.c_str());
  tooltip(help);
}
// Numbers that are only rounding errors are shown as 0.
std::string contact_number_text(double x) {
  return fmt::format("{:.3g}", std::abs(x) < 1e-9 ? 0 : x);
}
void contact_number(double x, const char* unit) {
  contact_cell(contact_number_text(x), fmt::format("{:.9g} {}", x, unit));
}

// Draws a text over all columns of a table, from the first one on.
void draw_across(const std::string& text) {
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  draw.PushClipRect({at.x, draw.GetClipRectMin().y}, {right, draw.GetClipRectMax().y});
  draw.AddText(at, color_u32(Shade::dim), shortened(text, right - at.x).c_str());
  draw.PopClipRect();
  ImGui::Dummy({1, ImGui::GetTextLineHeight()});
}

// A row of the table: a pair of shapes (point < 0), or one of the points of the pair above it.
struct ContactTableRow {
  int point;
  const ContactForce* force;
};
std::vector<ContactTableRow> contact_table_rows(const ContactStep& step) {
  std::vector<ContactTableRow> out;
  const ContactForce* last = nullptr;
  for (size_t k = 0; k < step.points.size(); ++k) {
    const ContactForce& force = step.points[k].force;
    if (!last || last->a != force.a || last->b != force.b) out.push_back({-1, &force});
    out.push_back({int(k), &force});
    last = &force;
  }
  return out;
}

void draw_contact_point(const ContactStepPoint& point) {
  const ContactForce& force = point.force;
  // Time stepping accepts smaller gaps: they are rounding errors of poses.
  constexpr double smallest_gap = 1e-9;
  contact_cell(fmt::format("{:.3g}", std::abs(force.gap) < smallest_gap ? 0 : 1e3 * force.gap),
               fmt::format("{:.9g} m", force.gap));
  contact_cell(name(point.mode), fmt::format("mu = {:.4g}", force.mu));
  contact_number(point.normal, "N");
  contact_number(point.friction, "N");
  contact_number(point.limit, "N");
  contact_number(point.slip, "m/s");
}

// Draws only the visible rows.
void draw_contact_points(const Model& model, const ContactStep& step) {
  constexpr size_t most_rows = 14;
  constexpr struct {
    const char *title, *help;
    float width;
  } columns[] = {{"Gap [mm]", "In the middle of the step; negative: overlap", 0},
                 {"Mode", "separate: no force; stick or slide: after the step", 62},
                 {"N", "Normal force, N, the mean over the step", 50},
                 {"|F|", "Friction force, N", 50},
                 {"µ N", "Limit of the friction force, N", 50},
                 {"Slip", "Tangential speed after the step, m/s", 56}};
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_SizingFixedFit |
                                    ImGuiTableFlags_NoSavedSettings;
  const std::vector<ContactTableRow> rows = contact_table_rows(step);
  const float height = (float(std::min(rows.size(), most_rows)) + 1.5f) *
                       (ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y);
  if (!ImGui::BeginTable("points", int(std::size(columns)), flags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const auto& column : columns)
    ImGui::TableSetupColumn(
        column.title,
        column.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
        scaled(column.width));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const auto& column : columns) contact_cell(column.title, column.help);
  ImGuiListClipper clipper;
  clipper.Begin(int(rows.size()));
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
      const ContactTableRow& row = rows[size_t(k)];
      ImGui::TableNextRow();
      if (row.point >= 0) {
        draw_contact_point(step.points[size_t(row.point)]);
      } else {
        draw_across(pair_of_shapes(model, *row.force));
      }
    }
  ImGui::EndTable();
}

void draw_contact_checks(const ContactStep& step) {
  if (!ImGui::BeginTable("checks", 2, ImGuiTableFlags_SizingStretchProp)) return;
  const auto row = [](const char* name, double x, const char* unit, const char* help) {
    value_row(name, fmt::format("{:.2e}", x), unit);
    tooltip(help);
  };
  row("Residual", step.laws.residual, "",
      "Of De Saxce's map, relative to the largest rate of a row");
  row("Complementarity", step.laws.complementarity, "J", "max |lambda_n w_n|");
  row("Approach", step.laws.approach, "m/s", "max -w_n: 0 if w_n >= 0 everywhere");
  row("Cone violation", step.laws.cone, "N s", "max |lambda_t| - mu lambda_n");
  value_row("Solver", step.solver);
  value_row("Iterations", fmt::format("{}", step.iterations));
  value_row("Time", microseconds_text(step.ns), "µs");
  ImGui::EndTable();
}

}  // namespace

void draw_contacts_page(Editor& editor) {
  ContactSource& source = editor.panel<ExplainPanel>().contacts;
  draw_constraint_solvers(editor, source.compared(editor.now));
  if (source.is_comparing()) dim_text("Comparing the constraint solvers...");
  const ContactStep* step = source.step(editor.now, editor.probe);
  if (!step) return dim_text("Computing...");
  if (!step->failure.empty()) return draw_wrapped_text(step->failure);
  if (!step->possible)
    return draw_wrapped_text(
        "No shapes can touch: the scene has no collision shapes, or all pairs are excluded.");
  if (step->points.empty()) return dim_text("Nothing touches.");
  dim_text(fmt::format("Contacts of the step from t = {:.6g} s", step->time));
  section("1. Points", {"rate+ = J u+,  rate_f = J v_f"});
  draw_contact_points(editor.model(), *step);
  if (step->is_located())
    return draw_wrapped_text(
        "The integrator locates contacts in time, so that a step has no problem of impulses. These "
        "are the present forces.");
  section("2. Problem",
          {"rate = rate+ + s + R lambda = G lambda + c,  G = J M^-1 J^T + R,  c = rate_f + s",
           "rate_n >= 0,  lambda_n >= 0,  rate_n lambda_n = 0", "|lambda_t| <= mu lambda_n",
           "lambda_t = - mu lambda_n rate_t / |rate_t| if rate_t != 0"});
  dim_text(
      "Signorini's law and Coulomb's law; s: rebound, gap / dt, or compression; R: compliance of "
      "normals, 0 if rigid");
  draw_wrapped_text(problem_text(*step));
  section("3. Solution", {});
  draw_contact_checks(*step);
}

std::string contact_text(const Model& model, const ContactStep& step) {
  if (!step.failure.empty()) return step.failure + "\n";
  if (step.points.empty()) return "contacts: none\n";
  std::string out =
      step.is_located()
          ? "contacts that are located in time:\n"
          : fmt::format(
                "contacts: {}; residual {:.1e}, complementarity {:.1e} J, cone violation {:.1e} "
                "N s, {} iterations of {}\n",
                problem_text(step), step.laws.residual, step.laws.complementarity, step.laws.cone,
                step.iterations, step.solver);
  for (const ContactStepPoint& point : step.points)
    out += fmt::format(
        "{}: gap {:.6g} m, {}, normal {:.6g} N, friction {:.6g} N of {:.6g} N, slip {:.6g} m/s\n",
        pair_of_shapes(model, point.force), point.force.gap, name(point.mode), point.normal,
        point.friction, point.limit, point.slip);
  return out;
}

}  // namespace torsor::editor
