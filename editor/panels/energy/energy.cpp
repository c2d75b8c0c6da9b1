// The energy panel: the stored energy and the works of the run, and the current power at the
// joints.

#include "editor/panels/energy/energy.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "editor/app/editor.hpp"
#include "editor/panels/dynamics/units.hpp"
#include "editor/panels/energy/drawing.hpp"
#include "editor/panels/energy/ledger.hpp"
#include "editor/panels/plots/diagrams.hpp"
#include "editor/probe/probe.hpp"
#include "editor/probe/sampler.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/bar_plot.hpp"
#include "editor/widgets/number_line.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

using EnergyView = EnergyPanel::View;

void show_energy(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "ledger|power");
  if (name != "ledger" && name != "power")
    throw Error(fmt::format("there is no view '{}'; use ledger or power", name));
  editor.panel<EnergyPanel>().view = name == "ledger" ? EnergyView::ledger : EnergyView::power;
}

void count_from(Editor& editor, const Arguments& arguments) {
  const std::string& name = arguments.text(0, "lowest|world");
  if (name != "lowest" && name != "world")
    throw Error(
        fmt::format("potential energy cannot be measured from '{}'; use lowest or world", name));
  editor.panel<EnergyPanel>().from_world = name == "world";
}

constexpr Action energy_action_rows[] = {
    {"energy.show", "Show the energy balance of the run or the power at the joints", "ledger|power",
     show_energy},
    {"energy.zero",
     "Measure potential energy from its minimum in the run or from the world's origin",
     "lowest|world", count_from},
};

void draw_choice(Editor& editor, double readout) {
  const EnergyView view = editor.panel<EnergyPanel>().view;
  action_choice(editor, "Energy", view == EnergyView::ledger, "energy.show", {"ledger"},
                "Shows stored energy and work since the start, in J.");
  ImGui::SameLine(0, scaled(3));
  action_choice(editor, "Power", view == EnergyView::power, "energy.show", {"power"},
                "Shows power, in W.");
  ImGui::SameLine(0, scaled(3));
  const std::string at = fmt::format("at {:.4g} s", readout);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosX(
      std::max(ImGui::GetCursorPosX() + scaled(6), right - ImGui::CalcTextSize(at.c_str()).x));
  ImGui::AlignTextToFramePadding();
  dim_text(at);
  tooltip("Time of the numbers: at the mouse in a plot, or the current time.");
}

std::string joules(double value) {
  return fmt::format("{:.4g}", value == 0 ? 0 : value);
}

ImVec4 color_of(const LedgerPart& part) {
  return curve_color(part.color);
}

// Returns a diagram with the parts as stacked areas and their sum as a curve. Omits parts that are
// zero throughout the run.
EnergyDiagram stack_drawing(const char* id, const std::vector<LedgerPart>& parts,
                            const Samples& samples, const SampleRange& seen, int pixels) {
  std::vector<StackPart> shown;
  std::vector<ImVec4> colors;
  for (const LedgerPart& part : parts) {
    if (!part.ever) continue;
    shown.push_back({&samples.values[part.column], part.less});
    colors.push_back(color_of(part));
  }
  StackedAreas stack = stacked(shown, samples.time, seen, size_t(2 * pixels));
  EnergyDiagram out{id, "J", stack.extremes};
  for (auto* side : {&stack.above, &stack.below})
    for (size_t k = 0; k < shown.size(); ++k)
      if (!(*side)[k].empty()) out.areas.push_back({colors[k], std::move((*side)[k])});
  out.curves.push_back({ImGui::GetStyleColorVec4(ImGuiCol_Text), {std::move(stack.sum), {}}});
  return out;
}

EnergyDiagram error_drawing(const Ledger& ledger, const Samples& samples, const Range& time,
                            const SampleRange& seen, int pixels) {
  const Series& error = samples.values[ledger.error.column];
  Extremes extremes = error.extremes(seen.begin, seen.end);
  extremes.include(0);
  const TimeColumns columns = time_columns(samples.time, time, pixels);
  return {
      "error", "J", extremes, {}, {{color(Shade::error), decimate(columns, samples.time, error)}}};
}

struct LedgerView {
  Ledger ledger;
  std::vector<EnergyDiagram> drawings;  // diagrams of the stored energies, the works and the error
};

LedgerView ledger_view(Editor& editor, const Samples& samples, double readout, int pixels) {
  const Range time = shown_time(editor);
  const SampleRange seen = samples_in(samples.time, time);
  LedgerView view{ledger_of(samples, nearest_sample(samples.time, readout),
                            editor.panel<EnergyPanel>().from_world),
                  {}};
  view.drawings.push_back(stack_drawing("stored", view.ledger.stored, samples, seen, pixels));
  view.drawings.push_back(stack_drawing("works", view.ledger.works, samples, seen, pixels));
  view.drawings.push_back(error_drawing(view.ledger, samples, time, seen, pixels));
  return view;
}

void stored_line(Editor& editor, const Ledger& ledger) {
  NumberLine line;
  for (const LedgerPart& part : ledger.stored) {
    if (part.name == "elastic" && !part.ever) continue;
    const ImVec4 swatch = color_of(part);
    std::string hint = fmt::format("{} energy: {:.9g} J", part.name, part.value);
    if (part.name == "potential")
      hint += fmt::format(
          "\nMeasured from {}. The minimum is {:.6g} J relative to the world's origin. Click to "
          "measure from {}.",
          editor.panel<EnergyPanel>().from_world ? "the world's origin" : "its minimum in the run",
          ledger.lowest_potential,
          editor.panel<EnergyPanel>().from_world ? "the minimum" : "the origin");
    line.add(&swatch, part.name, joules(part.value), hint);
    if (part.name == "potential" && ImGui::IsItemClicked())
      try_action(editor, "energy.zero",
                 {editor.panel<EnergyPanel>().from_world ? "lowest" : "world"});
  }
  line.add(nullptr, "sum", joules(total(ledger.stored)) + " J",
           "Kinetic, potential and elastic energy: the line in the plot.");
}

void works_line(const Ledger& ledger) {
  NumberLine line;
  bool any = false;
  for (const LedgerPart& part : ledger.works) {
    if (!part.ever) continue;
    any = true;
    const ImVec4 swatch = color_of(part);
    line.add(&swatch, part.name, joules(part.value),
             fmt::format("{} {}: {:.9g} J since the start",
                         part.value < 0 ? "Energy removed by" : "Energy added by", part.name,
                         std::abs(part.value)));
  }
  if (any)
    line.add(nullptr, "sum", joules(total(ledger.works)) + " J",
             "Work since the start. Positive work adds energy, negative work removes it. Work that "
             "was zero throughout is not listed.");
  else
    dim_text("No work: the scene has no motor, friction, damping or load.");
}

void error_line(const Ledger& ledger) {
  NumberLine line;
  const double part = ledger.largest > 0 ? std::abs(ledger.error.value) / ledger.largest : 0;
  line.add(nullptr, "Energy error",
           fmt::format("{:.2e} J, {:.0e} of {:.3g} J", ledger.error.value, part, ledger.largest),
           "Energy minus initial energy minus work: the integrator's error, compared with the "
           "largest term of the balance.");
}

void draw_ledger(Editor& editor, double readout) {
  std::optional<LedgerView> view;
  std::string failure;
  const int pixels = std::max(16, int(ImGui::GetContentRegionAvail().x - scaled(60)));
  editor.sampler.read("energy", [&](const Samples& samples) {
    failure = samples.failure;
    if (!samples.time.empty() && !samples.values.empty())
      view = ledger_view(editor, samples, readout, pixels);
  });
  if (!failure.empty()) dim_text(failure);
  if (!view) return dim_text("Sampling the run ...");
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const bool works = std::ranges::any_of(view->ledger.works, &LedgerPart::ever);
  const float parts[] = {0.46f, works ? 0.34f : 0, 0.2f}, least[] = {70, 56, 42};
  // Two lines are reserved for the works, in case a scene has many.
  const float room = ImGui::GetContentRegionAvail().y - 5 * line - time_label_height() - scaled(18);
  float label_width = 0;
  std::vector<float> heights;
  for (size_t k = 0; k < 3; ++k) {
    heights.push_back(
        std::max(scaled(least[k]), std::floor(room * parts[k] / (parts[0] + parts[1] + parts[2]))));
    label_width =
        std::max(label_width,
                 value_label_width(
                     ticks(fitted(view->drawings[k].extremes), value_tick_room(heights[k])), "J"));
  }
  stored_line(editor, view->ledger);
  draw_energy_diagram(editor, view->drawings[0], heights[0], label_width, false);
  works_line(view->ledger);
  if (works) draw_energy_diagram(editor, view->drawings[1], heights[1], label_width, false);
  error_line(view->ledger);
  draw_energy_diagram(editor, view->drawings[2], heights[2], label_width, true);
}

// --- power ---------------------------------------------------------------------------------------

struct PowerView {
  EnergyDiagram drawing;
  std::vector<LedgerPart> parts;
};

PowerView power_view(Editor& editor, const Samples& samples, double readout, int pixels) {
  const Range time = shown_time(editor);
  const SampleRange seen = samples_in(samples.time, time);
  const TimeColumns columns = time_columns(samples.time, time, pixels);
  PowerView view{{"power", "W", {}}, powers_of(samples, nearest_sample(samples.time, readout))};
  for (const LedgerPart& part : view.parts) {
    const Series& values = samples.values[part.column];
    view.drawing.extremes.include(values.extremes(seen.begin, seen.end));
    view.drawing.curves.push_back({color_of(part), decimate(columns, samples.time, values)});
  }
  view.drawing.extremes.include(0);
  return view;
}

NumberTable joint_power_table(Editor& editor) {
  const JointPowers& powers = editor.probe.joint_powers();
  NumberTable table{
      .name = "power", .title = "Power at the joints", .source = "", .entry_unit = power_unit};
  table.rows = editor.model().dof_names();
  table.columns = {"Motor", "Friction", "Constraint", "Sum"};
  table.row_turns.assign(table.rows.size(), false);
  table.column_turns.assign(table.columns.size(), false);
  table.failure = powers.failure;
  for (size_t k = 0; k < powers.motors.size(); ++k) {
    const double motor = powers.motors[k], friction = powers.friction[k],
                 constraint = powers.constraint[k];
    table.x.insert(table.x.end(), {motor, friction, constraint, motor + friction + constraint});
  }
  return table;
}

void draw_power_curves(Editor& editor, double readout) {
  std::optional<PowerView> view;
  std::string failure;
  const int pixels = std::max(16, int(ImGui::GetContentRegionAvail().x - scaled(60)));
  editor.sampler.read("power", [&](const Samples& samples) {
    failure = samples.failure;
    if (!samples.time.empty() && !samples.values.empty())
      view = power_view(editor, samples, readout, pixels);
  });
  if (!failure.empty()) dim_text(failure);
  if (!view) return dim_text("Sampling the run ...");
  if (view->parts.empty())
    return dim_text("No power: the scene has no motor, friction, damping or load.");
  NumberLine line;
  for (const LedgerPart& part : view->parts) {
    const ImVec4 swatch = color_of(part);
    line.add(&swatch, part.name, joules(part.value),
             fmt::format("{}: {:.9g} W", part.name, part.value));
  }
  line.add(nullptr, "sum", joules(total(view->parts)) + " W",
           "Rate of change of the stored energy.");
  const float height = std::max(scaled(70), std::floor(0.32f * ImGui::GetContentRegionAvail().y));
  draw_energy_diagram(
      editor, view->drawing, height,
      value_label_width(ticks(fitted(view->drawing.extremes), value_tick_room(height)), "W"), true);
}

void draw_power(Editor& editor, double readout) {
  draw_power_curves(editor, readout);
  ImGui::Spacing();
  if (editor.model().n_v == 0) return dim_text("No moving joints.");
  dim_text(fmt::format("Power at the joints [W] at {:.4g} s", editor.now->time()));
  tooltip(
      "Motor: torque times velocity. Friction: friction and damping. Constraint: static friction, "
      "stops, mimic joints and prescribed motion.");
  const NumberTable table = joint_power_table(editor);
  table.failure.empty() ? draw_stacked_bars(table) : dim_text(table.failure);
}

}  // namespace

void EnergyPanel::begin_frame(Editor&) {
  sampled_ = std::exchange(drawn_, false);
}

std::vector<std::string> EnergyPanel::wanted_signals(const Editor&) {
  if (!sampled_) return {};
  return {view == View::ledger ? "energy" : "power"};
}

void EnergyPanel::draw(Editor& editor) {
  drawn_ = true;
  const double readout = readout_time(editor);
  draw_choice(editor, readout);
  ImGui::BeginChild("energy");
  view == View::ledger ? draw_ledger(editor, readout) : draw_power(editor, readout);
  ImGui::EndChild();
}

std::span<const Action> EnergyPanel::actions() {
  return energy_action_rows;
}

}  // namespace torsor::editor
