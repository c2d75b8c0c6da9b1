#include "editor/panels/plots/signal_button.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/panels/plots/plots.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

// Draws a line of the list, highlighted if the plot shows the signal or column. A click adds or
// removes it, or makes it the x axis.
void choice(Editor& editor, const std::string& name, const std::string& unit, int k, PickFor what) {
  const std::string index = fmt::format("{}", k + 1);
  bool shown = false;
  if (what == PickFor::abscissa) {
    shown = editor.panel<PlotsPanel>().plots[size_t(k)].over == name;
  } else if (k >= 0) {
    const auto& signals = editor.panel<PlotsPanel>().plots[size_t(k)].signals;
    shown = std::ranges::find(signals, name) != signals.end();
  }
  const bool pressed = ImGui::Selectable(fmt::format("{}##{}", name, k).c_str(), shown,
                                         ImGuiSelectableFlags_DontClosePopups);
  ImGui::SameLine();
  dim_text(fmt::format("[{}]", unit));
  if (!pressed) return;
  if (what == PickFor::abscissa) {
    try_action(editor, "plot.over", {index, name});
    ImGui::CloseCurrentPopup();
  } else if (k < 0) {
    try_action(editor, "plot.add", {name});
    ImGui::CloseCurrentPopup();
  } else if (shown) {
    try_action(editor, "plot.remove", {index, name});
  } else {
    try_action(editor, "plot.add", {name, index});
  }
}

std::string units_of(const Signal& signal) {
  std::string units;
  std::vector<std::string> seen;
  for (const Column& column : signal.columns) {
    if (std::ranges::find(seen, column.unit) != seen.end()) continue;
    seen.push_back(column.unit);
    units += (units.empty() ? "" : ", ") + column.unit;
  }
  return units;
}

// Draws a line for a signal that matches the search by its name or by a column. Lines for its
// columns follow if it is open or if only columns match.
void signal_lines(Editor& editor, const Signal& signal, int k, PickFor what) {
  const char* search = editor.panel<PlotsPanel>().search;
  const bool searched = *search != '\0', by_name = contains(signal.name, search);
  const bool by_column =
      searched && !by_name && std::ranges::any_of(signal.columns, [&](const Column& column) {
        return contains(column.name, search);
      });
  if (!by_name && !by_column) return;
  ImGui::PushID(signal.name.c_str());
  ImGui::SetNextItemOpen(by_column, by_column ? ImGuiCond_Always : ImGuiCond_Once);
  const bool open = ImGui::TreeNodeEx("##columns", ImGuiTreeNodeFlags_NoTreePushOnOpen);
  tooltip("Show single columns");
  ImGui::SameLine(0, scaled(4));
  choice(editor, signal.name, units_of(signal), k, what);
  if (open) {
    ImGui::Indent(scaled(28));
    for (const Column& column : signal.columns)
      if (by_name || contains(column.name, search))
        choice(editor, column.name, column.unit, k, what);
    ImGui::Unindent(scaled(28));
  }
  ImGui::PopID();
}

// Draws the options of the x axis other than signals: time, and equal scales for a phase portrait.
void abscissa_lines(Editor& editor, size_t k) {
  const PlotsPanel::Shown& plot = editor.panel<PlotsPanel>().plots[k];
  const std::string index = fmt::format("{}", k + 1);
  if (!plot.over.empty()) {
    bool equal = plot.equal;
    if (ImGui::Checkbox("Equal scales on both axes", &equal))
      try_action(editor, "plot.equal", {index, equal ? "on" : "off"});
  }
  if (ImGui::Selectable("Time", plot.over.empty()))
    try_action(editor, "plot.over", {index, "time"});
}

}  // namespace

void signal_button(Editor& editor, const char* label, int k, PickFor what) {
  ImGui::PushID(label);
  ImGui::PushID(k);
  if (ImGui::SmallButton(label)) {
    editor.panel<PlotsPanel>().search[0] = '\0';
    ImGui::OpenPopup("signals");
  }
  tooltip(what == PickFor::abscissa ? "Plot over another signal (phase portrait) or over time"
          : k < 0                   ? "Add a plot and choose its signal"
                                    : "Add or remove signals");
  ImGui::SetNextWindowSize({scaled(320), scaled(360)});
  if (ImGui::BeginPopup("signals")) {
    // Use the normal spacing, not the spacing of a legend.
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(6), scaled(4)));
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "Search", editor.panel<PlotsPanel>().search,
                             sizeof editor.panel<PlotsPanel>().search);
    ImGui::BeginChild("list");
    if (what == PickFor::abscissa) abscissa_lines(editor, size_t(k));
    for (const Signal& signal : editor.panel<PlotsPanel>().catalogue.signals())
      signal_lines(editor, signal, k, what);
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::EndPopup();
  }
  ImGui::PopID();
  ImGui::PopID();
}

}  // namespace torsor::editor
