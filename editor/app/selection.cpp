#include "editor/app/selection.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "editor/app/editor.hpp"
#include "torsor/base/error.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

using Kind = Selection::Kind;
constexpr struct {
  Kind kind;
  const char* name;
} kinds[] = {{Kind::none, "none"},    {Kind::robot, "robot"}, {Kind::link, "link"},
             {Kind::joint, "joint"},  {Kind::frame, "frame"}, {Kind::closure, "closure"},
             {Kind::plugin, "plugin"}};

// Returns the index of a link or closure. Throws Error with "did you mean" if there is none.
template <class Rows>
int row_named(const Rows& rows, const char* what, const std::string& name) {
  std::vector<std::string> names;
  for (size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].name == name) return int(k);
    names.push_back(rows[k].name);
  }
  throw Error(fmt::format("there is no {} '{}'{}", what, name, did_you_mean(name, names)));
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
  if (kind == "link") return {Kind::link, row_named(model.links, "link", name)};
  if (kind == "joint") return {Kind::joint, model.joint(name)};
  if (kind == "frame") return {Kind::frame, model.frame(name)};
  if (kind == "closure") return {Kind::closure, row_named(model.closures, "closure", name)};
  if (kind == "plugin") return {Kind::plugin, plugin_named(editor.plugins(), name)};
  std::vector<std::string> names;
  for (const auto& row : kinds) names.emplace_back(row.name);
  throw Error(fmt::format("there is no kind '{}'; there are {}{}", kind, fmt::join(names, ", "),
                          did_you_mean(kind, names)));
}

}  // namespace

const char* kind_name(Kind kind) {
  return std::find_if(std::begin(kinds), std::end(kinds),
                      [&](const auto& row) { return row.kind == kind; })
      ->name;
}

Selection find_selection(const Editor& editor, const std::string& kind, const std::string& name) {
  return kind == "none" ? Selection{} : named(editor, kind, name);
}

std::string selection_text(const Editor& editor) {
  const size_t k = size_t(editor.selection.index);
  const Kind kind = editor.selection.kind;
  const auto named = [&](const std::string& name) {
    return fmt::format("{} {}", kind_name(kind), name);
  };
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
    case Kind::closure:
      return named(editor.model().closures.at(k).name);
    case Kind::plugin:
      return named(editor.plugins().plugins().at(k).id);
  }
  return "none";
}

}  // namespace torsor::editor
