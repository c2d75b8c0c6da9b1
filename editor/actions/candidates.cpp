#include "editor/actions/candidates.hpp"

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/edits/position.hpp"
#include "editor/panels/panel.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::editor {

namespace {

using Names = std::vector<std::string>;

Names parted(std::string_view words, char by) {
  Names out;
  for (size_t begin = 0; begin <= words.size();) {
    const size_t end = std::min(words.find(by, begin), words.size());
    out.emplace_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Names panes() {
  Names out;
  for (const Pane each : all_panes) out.emplace_back(name(each));
  return out;
}

Names solvers(const Scene& scene) {
  Names out;
  for (const SolverChoice& choice : scene.solvers)
    if (choice.rejection.empty()) out.emplace_back(without_kind(choice.id));
  return out;
}

Names of_the_scene(const Editor& editor, const Action& action, const std::string& word) {
  const Model& model = editor.model();
  if (word == "JOINT")
    return std::string_view(action.name) == "edit.position" ? names_of(positions(model))
                                                            : model.dof_names();
  if (word == "I" || word == "J" || word == "K") return model.dof_names();
  if (word == "FRAME") return names_of(model.frames);
  if (word == "LINK") return names_of(model.links);
  if (word == "ROBOT") return names_of(model.robots);
  if (word == "SOLVER") return solvers(editor.scene());
  if (word == "FORK") return names_of(*editor.now->forks);
  if (word == "SNAPSHOT") return names_of(*editor.now->snapshots);
  return {};
}

// Returns the row of the panel to which this action belongs, or null for an action of the window.
const PanelRow* owner_of(const Action& action) {
  for (const PanelRow& row : panel_rows())
    for (const Action& each : row.actions())
      if (&each == &action) return &row;
  return nullptr;
}

Names of_a_word(Editor& editor, const Action& action, const std::string& word,
                const Arguments& before) {
  if (const PanelRow* owner = owner_of(action))
    if (auto found = editor.panels.at(*owner).candidates(editor, action, word, before))
      return *found;
  if (word == "PANEL") return names_of(panel_rows());
  if (word == "PANE") return panes();
  if (word == "FILE" && std::string_view(action.name) == "scene.open")
    return editor.settings.recent;
  return editor.has_scene() ? of_the_scene(editor, action, word) : Names{};
}

}  // namespace

std::vector<std::string> names_of_plugins(const Registry& registry) {
  Names out;
  for (const PluginInfo& plugin : registry.plugins()) out.push_back(plugin.id);
  return out;
}

std::string action_word(const Action& action, size_t k) {
  std::string text = action.arguments;
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  const Names words = parted(text, ' ');
  return k < words.size() ? words[k] : "";
}

std::vector<std::string> candidates(Editor& editor, const Action& action, size_t k,
                                    const Arguments& before) {
  Names out;
  // In "FORK|none", a word in capitals is a kind of argument. Other words are literal values.
  for (const std::string& word : parted(action_word(action, k), '|'))
    if (word.empty() || std::isupper((unsigned char)word[0]))
      std::ranges::copy(of_a_word(editor, action, word, before), std::back_inserter(out));
    else
      out.push_back(word);
  return out;
}

}  // namespace torsor::editor
