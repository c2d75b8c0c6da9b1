// Draws the legends of plots: names and values of the curves, and buttons that change a plot.

#include "editor/panels/plots/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/panels/plots/plots.hpp"
#include "editor/panels/plots/signal_button.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Draws text whose upper left corner is `at`, clipped at the x coordinate `right`.
void cut_text(const std::string& text, ImVec2 at, float right, ImU32 ink) {
  const ImVec4 clip{at.x, at.y, right, at.y + ImGui::GetTextLineHeight() + scaled(2)};
  ImGui::GetWindowDrawList()->AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, ink, text.c_str(),
                                      nullptr, 0, &clip);
}

// Draws a line of the legend. room is the width in pixels that stays free on the right, for a value
// or buttons. Returns whether the mouse is on the line.
bool legend_line(const std::string& text, ImU32 ink, const std::string& hint, float indent,
                 float room) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  ImGui::InvisibleButton("line", {std::max(1.0f, right - at.x - room), ImGui::GetTextLineHeight()});
  tooltip(hint);
  cut_text(text, {at.x + indent, at.y}, right - room - scaled(3), ink);
  return ImGui::IsItemHovered();
}

constexpr const char* cross_label = "\u00d7";

// Returns the gap before a button of the legend, in whole pixels so that sums of widths are exact.
float legend_gap() {
  return std::round(scaled(2));
}

void place_button(const char* label) {
  continue_line(button_width(label), legend_gap());
}

bool cross(const char* hint) {
  place_button(cross_label);
  const bool pressed = ImGui::SmallButton(cross_label);
  tooltip(hint);
  return pressed;
}

float cross_width() {
  return legend_gap() + button_width(cross_label);
}

std::string value_text(const Entry& entry) {
  if (!entry.sampled) return "...";
  return entry.between ? fmt::format("Δ {:.5g}", entry.between->second - entry.between->first)
                       : fmt::format("{:.6g}", entry.value);
}

std::string value_hint(const PlotsPanel& panel, const Entry& entry) {
  const std::string& unit = entry.column().unit;
  std::string hint = fmt::format("{} = {:.9g} {}", entry.column().name, entry.value, unit);
  if (!entry.column().frame.empty()) hint += fmt::format(", in axes of {}", entry.column().frame);
  if (!entry.between || !panel.measured) return hint;
  const auto [at_a, at_b] = *entry.between;
  const double time = panel.measured->second - panel.measured->first;
  return hint + fmt::format("\nat A {:.9g}, at B {:.9g}\nB - A = {:.9g} {}, {:.6g} {} per s", at_a,
                            at_b, at_b - at_a, unit, (at_b - at_a) / time, unit);
}

void entry_line(PlotsPanel& panel, const Entry& entry) {
  if (!ImGui::IsRectVisible({1, ImGui::GetTextLineHeight()})) {
    ImGui::Dummy({1, ImGui::GetTextLineHeight()});
    return;
  }
  ImGui::PushID(int(entry.index));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x,
              middle = at.y + ImGui::GetTextLineHeight() / 2;
  const std::string value = value_text(entry), unit = " " + entry.column().unit;
  const float unit_width = ImGui::CalcTextSize(unit.c_str()).x,
              room = unit_width + ImGui::CalcTextSize(value.c_str()).x;
  const std::string hint = value_hint(panel, entry);
  const std::string& name = entry.column().name;
  // Omits the name of the signal, which is in the heading above.
  const bool short_name = name.size() > entry.shown.size() + 1;
  if (legend_line(short_name ? name.substr(entry.shown.size() + 1) : name,
                  ImGui::GetColorU32(ImGuiCol_Text), hint, scaled(18), room))
    panel.strong = name;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled({at.x, middle - scaled(1.5f)}, {at.x + scaled(13), middle + scaled(1.5f)},
                      ImGui::ColorConvertFloat4ToU32(entry.color), scaled(1));
  draw->AddText({right - room, at.y}, ImGui::GetColorU32(ImGuiCol_Text), value.c_str());
  draw->AddText({right - unit_width, at.y}, color_u32(Shade::dim), unit.c_str());
  ImGui::PopID();
}

// Draws the first line of a plot: its number and buttons.
void plot_line(Editor& editor, const Diagram& diagram, std::vector<RequestedAction>& requested) {
  const std::string text = fmt::format("plot {}", diagram.plot + 1);
  const float buttons = button_width("X axis") + button_width("+") + 2 * legend_gap();
  legend_line(text, ImGui::GetColorU32(ImGuiCol_Text), text, 0, buttons + cross_width());
  place_button("X axis");
  signal_button(editor, "X axis", int(diagram.plot), PickFor::abscissa);
  place_button("+");
  signal_button(editor, "+", int(diagram.plot), PickFor::curves);
  if (cross("Remove plot"))
    requested.push_back({"plot.remove", {fmt::format("{}", diagram.plot + 1)}});
}

// Draws the heading of a signal above its entries.
void signal_line(const Diagram& diagram, const std::string& signal,
                 std::vector<RequestedAction>& requested) {
  legend_line(signal, color_u32(Shade::dim), signal, 0, cross_width());
  if (cross("Remove signal"))
    requested.push_back({"plot.remove", {fmt::format("{}", diagram.plot + 1), signal}});
}

bool begins_signal(const Diagram& diagram, size_t k) {
  return k == 0 || diagram.entries[k].shown != diagram.entries[k - 1].shown;
}

}  // namespace

void draw_legend(Editor& editor, const Diagram& diagram, bool first,
                 std::vector<RequestedAction>& requested) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, scaled(1)));
  if (first) plot_line(editor, diagram, requested);
  if (const std::string& over = editor.panel<PlotsPanel>().plots[diagram.plot].over; !over.empty())
    legend_line("over " + over, color_u32(Shade::dim), "Phase portrait over " + over, 0, 0);
  for (size_t k = 0; k < diagram.entries.size(); ++k) {
    const Entry& entry = diagram.entries[k];
    ImGui::PushID(entry.shown.c_str());
    if (begins_signal(diagram, k)) signal_line(diagram, entry.shown, requested);
    entry_line(editor.panel<PlotsPanel>(), entry);
    ImGui::PopID();
  }
  if (diagram.entries.empty() && diagram.troubles.empty())
    dim_text("No signal. Click + to add one.");
  for (const std::string& trouble : diagram.troubles) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
    draw_wrapped_text(trouble);
    ImGui::PopStyleColor();
  }
  ImGui::PopStyleVar();
}

int legend_lines(const Diagram& diagram, bool first, bool over_signal) {
  int lines = first + over_signal + int(diagram.entries.size()) + int(diagram.troubles.size());
  for (size_t k = 0; k < diagram.entries.size(); ++k) lines += begins_signal(diagram, k);
  return std::max(lines, 1);
}

}  // namespace torsor::editor
