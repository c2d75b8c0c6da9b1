#include "editor/panels/runs/runs.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/edits/position.hpp"
#include "editor/panels/panel.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

ComparedRun compared_run(const RunsPanel& panel, const SessionState& now) {
  const auto found = std::ranges::find(*now.forks, panel.compared, &StoredRun::name);
  if (panel.compared.empty()) return {};
  const auto missing = [&](std::string_view why) {
    return ComparedRun{nullptr, {}, fmt::format("Run '{}' {}", panel.compared, why)};
  };
  if (found == now.forks->end()) return missing("was deleted.");
  if (size_t(found - now.forks->begin()) == now.fork) return missing("is the current run.");
  const Timeline& timeline = found->timeline;
  const long long step = now.state.step;
  if (step < timeline.step(0)) return missing("begins after this time.");
  // A restored fork has only its start until it is selected.
  if (step > timeline.end())
    return missing(step > found->end ? "ends before this time."
                                     : "is not computed yet. Switch to it to compute it.");
  return {&*found, timeline.at(timeline.index_at(step)), ""};
}

namespace {

// Returns the argument NAME, or "" if it is missing.
std::string name_or_none(const Arguments& arguments) {
  return arguments.size() > 0 ? arguments.text(0, "NAME") : "";
}

// Returns the name if it is in the list. Throws Error otherwise. A new fork or snapshot is in the
// list only after the session has created it.
std::string known(const std::vector<StoredRun>& all, const std::string& name, const char* what) {
  std::vector<std::string> names;
  for (const StoredRun& run : all) names.push_back(run.name);
  if (std::ranges::find(names, name) == names.end())
    throw Error(fmt::format("there is no {} '{}'{}", what, name, did_you_mean(name, names)));
  return name;
}
std::string known_fork(const Editor& editor, const Arguments& arguments) {
  return known(*editor.session.now()->forks, arguments.text(0, "FORK"), "fork");
}
std::string known_snapshot(const Editor& editor, const Arguments& arguments) {
  return known(*editor.session.now()->snapshots, arguments.text(0, "SNAPSHOT"), "snapshot");
}

void compare_with(Editor& editor, const Arguments& arguments) {
  need_scene(editor);
  const std::string& name = arguments.text(0, "FORK|none");
  std::vector<std::string> names{"none"};
  for (const StoredRun& run : *editor.now->forks) names.push_back(run.name);
  if (std::ranges::find(names, name) == names.end())
    throw Error(fmt::format("there is no fork '{}'{}", name, did_you_mean(name, names)));
  editor.panel<RunsPanel>().compared = name == "none" ? "" : name;
}

constexpr Action runs_action_rows[] = {
    {"run.fork",
     "Fork the run here: keep this run and continue in a copy",
     "[NAME]",
     [](Editor& e, const Arguments& a) {
       need_scene(e);
       e.session.post(command::Fork{name_or_none(a)});
     },
     {GLFW_KEY_F, true}},
    {"run.choose", "Switch to a fork", "FORK",
     [](Editor& e, const Arguments& a) { e.session.post(command::ChooseFork{known_fork(e, a)}); }},
    {"run.drop", "Delete a fork", "FORK",
     [](Editor& e, const Arguments& a) { e.session.post(command::DropFork{known_fork(e, a)}); }},
    {"run.compare", "Compare with a fork: show its ghost and the differences", "FORK|none",
     compare_with},
    {"run.keep",
     "Save this state as a snapshot",
     "[NAME]",
     [](Editor& e, const Arguments& a) {
       need_scene(e);
       e.session.post(command::KeepSnapshot{name_or_none(a)});
     },
     {GLFW_KEY_K, true}},
    {"run.show", "Go to a snapshot", "SNAPSHOT",
     [](Editor& e, const Arguments& a) {
       e.session.post(command::ShowSnapshot{known_snapshot(e, a)});
     }},
    {"run.discard", "Discard a snapshot", "SNAPSHOT",
     [](Editor& e, const Arguments& a) {
       e.session.post(command::DropSnapshot{known_snapshot(e, a)});
     }},
};

constexpr ImGuiTableFlags run_table = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp |
                                      ImGuiTableFlags_NoSavedSettings |
                                      ImGuiTableFlags_BordersInnerV;

std::string seconds_text(const Editor& editor, long long step) {
  return fmt::format("{:.4g} s", double(step) * editor.dt());
}

bool small_button(const char* label, const char* help) {
  const bool pressed = ImGui::SmallButton(label);
  tooltip(help);
  return pressed;
}

void draw_fork(Editor& editor, const StoredRun& run, bool present) {
  const SessionState& now = *editor.now;
  const bool compared = run.name == editor.panel<RunsPanel>().compared && !present;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::RadioButton(run.name.c_str(), present) && !present)
    try_action(editor, "run.choose", {run.name});
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(seconds_text(editor, present ? now.timeline.end() : run.end).c_str());
  ImGui::TableNextColumn();
  ImGui::Text("%zu", (present ? now.timeline : run.timeline).changes().size());
  ImGui::TableNextColumn();
  if (present) return;
  if (small_button(compared ? "=" : "~",
                   compared ? "Stop comparing" : "Compare: show its ghost and the differences"))
    try_action(editor, "run.compare", {compared ? "none" : run.name});
  ImGui::SameLine(0, scaled(3));
  if (small_button("×", "Delete")) try_action(editor, "run.drop", {run.name});
}

void draw_forks(Editor& editor) {
  if (!ImGui::BeginTable("forks", 4, run_table)) return;
  for (const char* column : {"Run", "End", "Edits", ""}) ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  const SessionState& now = *editor.now;
  for (size_t k = 0; k < now.forks->size(); ++k) {
    ImGui::PushID(int(k));
    draw_fork(editor, (*now.forks)[k], k == now.fork);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

// Draws the largest differences of positions between the compared run and the current run, at most
// eight, largest first.
void draw_comparison(Editor& editor) {
  if (editor.panel<RunsPanel>().compared.empty()) return;
  const SessionState& now = *editor.now;
  const ComparedRun other = compared_run(editor.panel<RunsPanel>(), now);
  ImGui::Spacing();
  if (!other.run) return dim_text(other.missing);
  dim_text(fmt::format("{} minus this run{}", other.run->name,
                       other.state.step == now.state.step
                           ? ""
                           : fmt::format(", state at {}", seconds_text(editor, other.state.step))));
  struct Row {
    const Position* position;
    double difference;
  };
  const std::vector<Position> all = positions(editor.model());
  const Model& model = editor.model();
  std::vector<Row> rows;
  for (size_t k = 0; k < all.size(); ++k)
    rows.push_back(
        {&all[k], position(model, other.state.q, int(k)) - position(model, now.state.q, int(k))});
  std::ranges::sort(rows, std::greater(), [](const Row& row) { return std::abs(row.difference); });
  constexpr size_t most = 8;
  if (!ImGui::BeginTable("difference", 2, run_table)) return;
  for (size_t k = 0; k < std::min(rows.size(), most); ++k)
    value_row(rows[k].position->name.c_str(), fmt::format("{:+.4g}", rows[k].difference),
              std::string(rows[k].position->unit).c_str());
  ImGui::EndTable();
}

void draw_snapshots(Editor& editor) {
  if (editor.now->snapshots->empty()) return dim_text("No snapshots.");
  if (!ImGui::BeginTable("snapshots", 3, run_table)) return;
  for (const char* column : {"Snapshot", "Time", ""}) ImGui::TableSetupColumn(column);
  ImGui::TableHeadersRow();
  for (const StoredRun& kept : *editor.now->snapshots) {
    ImGui::PushID(kept.name.c_str());
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (ImGui::Selectable(kept.name.c_str())) try_action(editor, "run.show", {kept.name});
    tooltip("Go to this state");
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(seconds_text(editor, kept.step).c_str());
    ImGui::TableNextColumn();
    if (small_button("×", "Discard")) try_action(editor, "run.discard", {kept.name});
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace

void RunsPanel::draw(Editor& editor) {
  action_button(editor, "Fork here", "run.fork");
  ImGui::SameLine();
  action_button(editor, "Save snapshot", "run.keep");
  draw_forks(editor);
  draw_comparison(editor);
  ImGui::Spacing();
  draw_snapshots(editor);
}

std::span<const Action> RunsPanel::actions() {
  return runs_action_rows;
}

}  // namespace torsor::editor
