// The scene panel: lists robots, links, joints, closures, frames and plugins by name. A click
// selects.

#include "editor/panels/scene/scene.hpp"

#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <unordered_map>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/probe/closure_report.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

using Kind = Selection::Kind;

void select_named(Editor& editor, const Arguments& arguments) {
  const std::string& kind = arguments.text(0, "none|robot|link|joint|frame|closure|plugin");
  editor.selection = find_selection(editor, kind, kind == "none" ? "" : arguments.text(1, "NAME"));
}

constexpr Action scene_action_rows[] = {
    {"scene.select", "Select a robot, link, joint, frame, closure or plugin",
     "none|robot|link|joint|frame|closure|plugin [NAME]", select_named}};

// A row of the tree. If kind is none, the row is a heading, or a gap if the heading is empty.
struct TreeRow {
  Kind kind;
  int index;
  float indent;  // at scale 1
  const char* heading = "";
};

// The rows of the tree that match the search. An only child is not indented further than its
// parent, so that long chains remain readable.
class RowList {
 public:
  RowList(const Model& model, const Registry& registry, const std::string& search)
      : model_(model), search_(search), children_(model.links.size()) {
    std::vector<bool> is_link_frame(model_.frames.size(), false);
    for (size_t k = 0; k < model_.links.size(); ++k) {
      is_link_frame[size_t(model_.links[k].frame)] = true;
      if (model_.links[k].parent >= 0) children_[size_t(model_.links[k].parent)].push_back(int(k));
    }
    for (size_t k = 0; k < model_.joints.size(); ++k) joints_[model_.joints[k].name] = int(k);
    for (size_t r = 0; r < model_.robots.size(); ++r) add_robot(int(r));
    if (!model_.closures.empty()) add_heading("Closures");
    for (size_t k = 0; k < model_.closures.size(); ++k)
      add(Kind::closure, int(k), model_.closures[k].name, 0);
    std::vector<int> own_frames;
    for (size_t k = 0; k < model_.frames.size(); ++k)
      if (!is_link_frame[k]) own_frames.push_back(int(k));
    if (!own_frames.empty()) add_heading("Frames");
    for (const int k : own_frames) add(Kind::frame, k, model_.frames[size_t(k)].name, 0);
    add_heading("Plugins");
    const auto& plugins = registry.plugins();
    for (size_t k = 0; k < plugins.size(); ++k) add(Kind::plugin, int(k), plugins[k].id, 0);
  }

  const std::vector<TreeRow>& rows() const { return rows_; }

 private:
  void add(Kind kind, int index, const std::string& name, float indent) {
    if (search_.empty() || contains(name, search_)) rows_.push_back({kind, index, indent});
  }
  void add_heading(const char* text) {
    rows_.push_back({Kind::none, 0, 0});
    rows_.push_back({Kind::none, 0, 0, text});
  }

  void add_robot(int index) {
    const Robot& robot = model_.robots[size_t(index)];
    add(Kind::robot, index, robot.name, 0);
    for (int k = robot.first_link; k < robot.first_link + robot.n_link; ++k)
      if (model_.links[size_t(k)].parent < 0) add_links(k, 8);
  }
  void add_links(int k, float indent) {
    for (;;) {
      const Link& link = model_.links[size_t(k)];
      if (const auto joint = joints_.find(link.joint); joint != joints_.end())
        add(Kind::joint, joint->second, link.joint, indent);
      add(Kind::link, k, link.name, indent + 10);
      const std::vector<int>& children = children_[size_t(k)];
      if (children.size() != 1) {
        for (const int child : children) add_links(child, indent + 10);
        return;
      }
      k = children[0];
    }
  }

  const Model& model_;
  const std::string& search_;
  std::vector<std::vector<int>> children_;            // [links] indices of child links
  std::unordered_map<std::string_view, int> joints_;  // index of each joint by name
  std::vector<TreeRow> rows_;
};

struct RowText {
  std::string name, note;
};
RowText text_of(const Editor& editor, const TreeRow& row) {
  const Model& model = editor.model();
  const size_t k = size_t(row.index);
  switch (row.kind) {
    case Kind::none:
      return {row.heading, ""};
    case Kind::robot:
      return {model.robots[k].name, fmt::format("{} dof", model.robots[k].n_v)};
    case Kind::link:
      return {model.links[k].name, ""};
    case Kind::joint:
      return {model.joints[k].name, std::string(traits(model.joints[k].kind).name)};
    case Kind::frame:
      return {model.frames[k].name, ""};
    case Kind::closure:
      return {model.closures[k].name, std::string(traits(model.closures[k].kind).name)};
    case Kind::plugin:
      return {editor.plugins().plugins()[k].id, editor.plugins().plugins()[k].version};
  }
  return {};
}

std::string closure_text(Editor& editor, int closure) {
  std::string out;
  for (const Line& line :
       closure_report(editor.probe.state(), closure, editor.probe.closure_wrenches()))
    out += fmt::format("{}{}: {}{}{}", out.empty() ? "" : "\n", line.name, line.value,
                       line.unit.empty() ? "" : " ", line.unit);
  return out;
}

void draw_row(Editor& editor, const TreeRow& row) {
  const auto [name, note] = text_of(editor, row);
  if (row.kind == Kind::none) return dim_text(name);
  ImGui::PushID(int(row.kind) * 1000000 + row.index);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + scaled(row.indent));
  if (ImGui::Selectable("##row", editor.selection == Selection{row.kind, row.index}))
    try_action(editor, "scene.select", {kind_name(row.kind), name});
  if (row.kind == Kind::closure && ImGui::IsItemHovered()) tooltip(closure_text(editor, row.index));
  ImGui::SameLine(0, 0);
  const float note_width = note.empty() ? 0 : ImGui::CalcTextSize(note.c_str()).x + scaled(8);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool with_note = room - note_width > scaled(60);
  clipped_text(name, with_note ? room - note_width : room);
  if (!note.empty() && with_note) {
    ImGui::SameLine(ImGui::GetContentRegionMax().x - note_width + scaled(8));
    dim_text(note);
  }
  ImGui::PopID();
}

}  // namespace

std::optional<std::vector<std::string>> ScenePanel::candidates(Editor& editor, const Action&,
                                                               std::string_view word,
                                                               const Arguments& before) {
  if (word != "NAME" || !editor.has_scene()) return std::nullopt;
  const Model& model = editor.model();
  const std::string& kind = before.text(0, "KIND");
  if (kind == "plugin") return names_of_plugins(editor.plugins());
  if (kind == "link") return names_of(model.links);
  if (kind == "joint") return names_of(model.joints);
  if (kind == "frame") return names_of(model.frames);
  if (kind == "closure") return names_of(model.closures);
  if (kind == "robot") return names_of(model.robots);
  return std::nullopt;
}

std::span<const Action> ScenePanel::actions() {
  return scene_action_rows;
}

void ScenePanel::draw(Editor& editor) {
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##search", "Search", &search);
  ImGui::BeginChild("tree");
  const RowList list(editor.model(), editor.plugins(), search);
  const std::vector<TreeRow>& rows = list.rows();
  const float height = ImGui::GetTextLineHeightWithSpacing();
  const auto selected = std::ranges::find_if(rows, [&](const TreeRow& row) {
    return row.kind != Kind::none && editor.selection == Selection{row.kind, row.index};
  });
  if (selected != rows.end() && ImGui::IsWindowAppearing())
    ImGui::SetScrollY(
        std::max(0.0f, float(selected - rows.begin()) * height - ImGui::GetWindowHeight() / 2));
  ImGuiListClipper clipper;
  clipper.Begin(int(rows.size()), height);
  while (clipper.Step())
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k)
      draw_row(editor, rows[size_t(k)]);
  ImGui::EndChild();
}

}  // namespace torsor::editor
