// Scene: what the model is made of, by name. A click selects.

#include "editor/panels/scene.hpp"

#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <unordered_map>

#include "editor/app/editor.hpp"
#include "editor/app/widgets.hpp"
#include "torsor/model/error.hpp"

namespace torsor::editor {

namespace {

using Kind = Selection::Kind;
constexpr struct {
  Kind kind;
  const char* name;
} kinds[] = {{Kind::none, "none"},   {Kind::robot, "robot"}, {Kind::link, "link"},
             {Kind::joint, "joint"}, {Kind::frame, "frame"}, {Kind::plugin, "plugin"}};

int link_named(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (size_t k = 0; k < model.links.size(); ++k) {
    if (model.links[k].name == name) return int(k);
    names.push_back(model.links[k].name);
  }
  throw Error(fmt::format("there is no link '{}'{}", name, did_you_mean(name, names)));
}

int plugin_named(const Registry& registry, const std::string& id) {
  std::vector<std::string> ids;
  for (size_t k = 0; k < registry.plugins().size(); ++k) {
    if (registry.plugins()[k].id == id) return int(k);
    ids.push_back(registry.plugins()[k].id);
  }
  throw Error(fmt::format("there is no plugin '{}'{}", id, did_you_mean(id, ids)));
}

Selection named(const Editor& editor, const std::string& kind, const std::string& name) {
  need_scene(editor);
  const Model& model = editor.model();
  if (kind == "robot") return {Kind::robot, model.robot(name)};
  if (kind == "link") return {Kind::link, link_named(model, name)};
  if (kind == "joint") return {Kind::joint, model.joint(name)};
  if (kind == "frame") return {Kind::frame, model.frame(name)};
  if (kind == "plugin") return {Kind::plugin, plugin_named(editor.plugins(), name)};
  std::vector<std::string> names;
  for (const auto& row : kinds) names.emplace_back(row.name);
  throw Error(fmt::format("there is no kind '{}'; there are {}{}", kind, fmt::join(names, ", "),
                          did_you_mean(kind, names)));
}

const char* name_of(Kind kind) {
  return std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& row) { return row.kind == kind; })
      ->name;
}

}  // namespace

Selection find_selection(const Editor& editor, const std::string& kind, const std::string& name) {
  return kind == "none" ? Selection{} : named(editor, kind, name);
}

namespace {

void select_named(Editor& editor, const Arguments& arguments) {
  const std::string& kind = arguments.text(0, "none|robot|link|joint|frame|plugin");
  editor.selection = find_selection(editor, kind, kind == "none" ? "" : arguments.text(1, "NAME"));
}

constexpr Action scene_action_rows[] = {{"scene.select", "Select something by its name",
                                         "none|robot|link|joint|frame|plugin [NAME]", select_named}};

// The rows of the tree. A link that is its parent's only child stands below it, not further in: so chains of a hundred
// links can be read.
class Rows {
 public:
  explicit Rows(Editor& editor)
      : editor_(editor), model_(editor.model()), search_(editor.scene_panel.search) {
    children_.resize(model_.links.size());
    std::vector<int> link_of_frame(model_.frames.size(), -1);
    for (size_t k = 0; k < model_.links.size(); ++k) {
      link_of_frame[size_t(model_.links[k].frame)] = int(k);
      if (model_.links[k].parent >= 0) children_[size_t(model_.links[k].parent)].push_back(int(k));
    }
    for (size_t k = 0; k < model_.frames.size(); ++k)
      if (link_of_frame[k] < 0) own_frames_.push_back(int(k));
    for (size_t k = 0; k < model_.joints.size(); ++k) joints_[model_.joints[k].name] = int(k);
  }

  void draw() {
    for (size_t r = 0; r < model_.robots.size(); ++r) robot(int(r));
    if (!own_frames_.empty()) {
      heading("Frames");
      for (const int k : own_frames_) row(Kind::frame, k, model_.frames[size_t(k)].name, "");
    }
    heading("Plugins");
    const auto& plugins = editor_.plugins().plugins();
    for (size_t k = 0; k < plugins.size(); ++k) row(Kind::plugin, int(k), plugins[k].id, plugins[k].version);
  }

 private:
  void heading(const char* text) {
    ImGui::Spacing();
    dim_text(text);
  }

  void row(Kind kind, int index, const std::string& name, std::string_view note) {
    if (!search_.empty() && !contains(name, search_)) return;
    const Selection here{kind, index};
    ImGui::PushID(int(kind) * 1000000 + index);
    if (ImGui::Selectable("##row", editor_.selection == here)) {
      try_action(editor_, "scene.select", {name_of(kind), name});
    }
    if (editor_.selection == here && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
    ImGui::SameLine(0, 0);
    const float note_width =
        note.empty() ? 0 : ImGui::CalcTextSize(note.data(), note.data() + note.size()).x + scaled(8);
    const float room = ImGui::GetContentRegionAvail().x;
    const bool with_note = room - note_width > scaled(60);
    clipped_text(name, with_note ? room - note_width : room);
    if (!note.empty() && with_note) {
      ImGui::SameLine(ImGui::GetContentRegionMax().x - note_width + scaled(8));
      dim_text(std::string(note));
    }
    ImGui::PopID();
  }

  void robot(int index) {
    const Robot& robot = model_.robots[size_t(index)];
    row(Kind::robot, index, robot.name, fmt::format("{} column{}", robot.n_v, robot.n_v == 1 ? "" : "s"));
    ImGui::Indent(scaled(8));
    for (int k = robot.first_link; k < robot.first_link + robot.n_link; ++k)
      if (model_.links[size_t(k)].parent < 0) links(k);
    ImGui::Unindent(scaled(8));
  }

  void links(int k) {
    for (;;) {
      link(k);
      const std::vector<int>& children = children_[size_t(k)];
      if (children.size() == 1) {
        k = children[0];
        continue;
      }
      ImGui::Indent(scaled(10));
      for (const int child : children) links(child);
      ImGui::Unindent(scaled(10));
      return;
    }
  }

  void link(int k) {
    const Link& link = model_.links[size_t(k)];
    if (const auto joint = joints_.find(link.joint); joint != joints_.end())
      row(Kind::joint, joint->second, link.joint, traits(model_.joints[size_t(joint->second)].kind).name);
    ImGui::Indent(scaled(10));
    row(Kind::link, k, link.name, "");
    ImGui::Unindent(scaled(10));
  }

  Editor& editor_;
  const Model& model_;
  const std::string& search_;
  std::vector<std::vector<int>> children_;            // [links]
  std::vector<int> own_frames_;                       // those that are no link's own
  std::unordered_map<std::string_view, int> joints_;  // by name
};

}  // namespace

std::string selection_text(const Editor& editor) {
  const size_t k = size_t(editor.selection.index);
  const Kind kind = editor.selection.kind;
  const auto named = [&](const std::string& name) { return fmt::format("{} {}", name_of(kind), name); };
  switch (kind) {
    case Kind::none:
      break;
    case Kind::robot:
      return named(editor.model().robots.at(k).name);
    case Kind::link:
      return named(editor.model().links.at(k).name);
    case Kind::joint:
      return named(editor.model().joints.at(k).name);
    case Kind::frame:
      return named(editor.model().frames.at(k).name);
    case Kind::plugin:
      return named(editor.plugins().plugins().at(k).id);
  }
  return "none";
}

std::span<const Action> scene_actions();
std::span<const Action> scene_actions() {
  return scene_action_rows;
}

void draw_scene_panel(Editor& editor);
void draw_scene_panel(Editor& editor) {
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##search", "search", &editor.scene_panel.search);
  ImGui::BeginChild("tree");
  Rows(editor).draw();
  ImGui::EndChild();
}

}  // namespace torsor::editor
