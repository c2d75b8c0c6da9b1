#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <concepts>

#include "editor/panels/console/console.hpp"
#include "editor/panels/controllers/controllers.hpp"
#include "editor/panels/dynamics/dynamics.hpp"
#include "editor/panels/energy/energy.hpp"
#include "editor/panels/explain/explain.hpp"
#include "editor/panels/inspector/inspector.hpp"
#include "editor/panels/panel.hpp"
#include "editor/panels/plots/plots.hpp"
#include "editor/panels/plugins/plugins.hpp"
#include "editor/panels/problems/problems.hpp"
#include "editor/panels/runs/runs.hpp"
#include "editor/panels/scene/scene.hpp"
#include "editor/panels/solvers/solvers.hpp"
#include "editor/panels/studies/studies.hpp"
#include "editor/panels/view/view.hpp"
#include "editor/session/session_options.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

template <std::derived_from<Panel> P>
std::unique_ptr<Panel> make(const SessionOptions& options) {
  if constexpr (std::constructible_from<P, const SessionOptions&>)
    return std::make_unique<P>(options);
  else
    return std::make_unique<P>();
}

constexpr bool needs_scene = true, without_scene = false;

template <class P>
constexpr PanelRow row(const char* name, const char* title, Pane pane, char letter,
                       bool needs = needs_scene) {
  return {name, title, pane, letter, P::actions, make<P>, needs};
}

constexpr PanelRow table[] = {
    row<ScenePanel>("scene", "Scene", Pane::left_top, 'S'),
    row<InspectorPanel>("inspector", "Inspector", Pane::left_bottom, 'I'),
    row<RunsPanel>("runs", "Runs", Pane::left_bottom, 'R'),
    row<ViewPanel>("view", "View", Pane::center_top, 'V'),
    row<StudiesPanel>("studies", "Studies", Pane::center_top, 'U', without_scene),
    row<PlotsPanel>("plots", "Plots", Pane::center_bottom, 'P'),
    row<ProblemsPanel>("problems", "Problems", Pane::center_bottom, 'B', without_scene),
    row<ConsolePanel>("console", "Console", Pane::center_bottom, 'C', without_scene),
    row<PluginsPanel>("plugins", "Plugins", Pane::center_bottom, 'G', without_scene),
    row<DynamicsPanel>("dynamics", "Dynamics", Pane::right_top, 'D'),
    row<ExplainPanel>("explain", "Explain", Pane::right_top, 'X'),
    row<SolversPanel>("solvers", "Solvers", Pane::right_bottom, 'O'),
    row<EnergyPanel>("energy", "Energy", Pane::right_bottom, 'N'),
    row<ControllersPanel>("controllers", "Controllers", Pane::right_bottom, 'T'),
};
static_assert(
    [] {
      for (const PanelRow& row : table)
        if (std::ranges::count(table, row.letter, &PanelRow::letter) != 1) return false;
      return true;
    }(),
    "each panel has its own letter");

}  // namespace

std::span<const PanelRow> panel_rows() {
  return table;
}

const PanelRow& panel_row(std::string_view name) {
  std::vector<std::string> names;
  for (const PanelRow& row : table) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(
      fmt::format("there is no panel '{}'{}", name, did_you_mean(std::string(name), names)));
}

Shortcut shortcut_of(const PanelRow& row) {
  return {.key = row.letter, .alt = true};
}

Panels::Panels(const SessionOptions& options) {
  for (const PanelRow& row : table) panels_.push_back(row.make(options));
}

Panel& Panels::at(const std::type_info& type) const {
  const auto found = std::ranges::find_if(panels_, [&](const std::unique_ptr<Panel>& panel) {
    const Panel& each = *panel;
    return typeid(each) == type;
  });
  assert(found != panels_.end() && "the class has no row in the table of panels");
  return **found;
}

void Panels::begin_frame(Editor& editor) {
  for (const auto& panel : panels_) panel->begin_frame(editor);
}

std::vector<std::string> Panels::wanted_signals(const Editor& editor) {
  std::vector<std::string> signals;
  for (const auto& panel : panels_)
    for (std::string& signal : panel->wanted_signals(editor))
      if (std::ranges::find(signals, signal) == signals.end()) signals.push_back(std::move(signal));
  return signals;
}

bool Panels::up_to_date() const {
  return std::ranges::all_of(panels_, [](const auto& panel) { return panel->up_to_date(); });
}

bool Panels::busy() const {
  return std::ranges::any_of(panels_, [](const auto& panel) { return panel->busy(); });
}

void Panels::stop() {
  for (const auto& panel : panels_) panel->stop();
}

}  // namespace torsor::editor
