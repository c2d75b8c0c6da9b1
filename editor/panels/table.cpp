#include <fmt/format.h>

#include "editor/panels/panel.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

// Each in its own file.
void draw_scene_panel(Editor&);
void draw_inspector_panel(Editor&);
void draw_runs_panel(Editor&);
void draw_view_panel(Editor&);
void draw_plots_panel(Editor&);
void draw_problems_panel(Editor&);
void draw_dynamics_panel(Editor&);
void draw_solvers_panel(Editor&);
void draw_energy_panel(Editor&);
void draw_plugins_panel(Editor&);
void draw_console_panel(Editor&);
void draw_controllers_panel(Editor&);
void draw_explain_panel(Editor&);
std::span<const Action> scene_actions();
std::span<const Action> inspector_actions();
std::span<const Action> runs_actions();
std::span<const Action> view_actions();
std::span<const Action> plots_actions();
std::span<const Action> problems_actions();
std::span<const Action> dynamics_actions();
std::span<const Action> solvers_actions();
std::span<const Action> energy_actions();
std::span<const Action> plugins_actions();
std::span<const Action> console_actions();
std::span<const Action> controllers_actions();
std::span<const Action> explain_actions();

namespace {
constexpr Panel table[] = {
    {"scene", "Scene", Pane::left_top, 'S', true, draw_scene_panel, scene_actions},
    {"inspector", "Inspector", Pane::left_bottom, 'I', true, draw_inspector_panel,
     inspector_actions},
    {"runs", "Runs", Pane::left_bottom, 'R', true, draw_runs_panel, runs_actions},
    {"view", "View", Pane::center_top, 'V', true, draw_view_panel, view_actions},
    {"plots", "Plots", Pane::center_bottom, 'P', true, draw_plots_panel, plots_actions},
    {"problems", "Problems", Pane::center_bottom, 'B', true, draw_problems_panel, problems_actions,
     false},
    {"console", "Console", Pane::center_bottom, 'C', true, draw_console_panel, console_actions,
     false},
    {"plugins", "Plugins", Pane::center_bottom, 'G', true, draw_plugins_panel, plugins_actions,
     false},
    {"dynamics", "Dynamics", Pane::right_top, 'D', true, draw_dynamics_panel, dynamics_actions},
    {"explain", "Explain", Pane::right_top, 'X', true, draw_explain_panel, explain_actions},
    {"solvers", "Solvers", Pane::right_bottom, 'O', true, draw_solvers_panel, solvers_actions},
    {"energy", "Energy", Pane::right_bottom, 'N', true, draw_energy_panel, energy_actions},
    {"controllers", "Controllers", Pane::right_bottom, 'T', true, draw_controllers_panel,
     controllers_actions},
};
}  // namespace

std::span<const Panel> panels() {
  return table;
}

const Panel& panel(std::string_view name) {
  std::vector<std::string> names;
  for (const Panel& row : table) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(
      fmt::format("there is no panel '{}'{}", name, did_you_mean(std::string(name), names)));
}

Shortcut shortcut_of(const Panel& row) {
  return {.key = row.letter, .alt = true};
}

}  // namespace torsor::editor
