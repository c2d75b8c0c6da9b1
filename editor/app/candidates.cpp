#include "editor/app/candidates.hpp"

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/app/panes.hpp"
#include "editor/panels/dynamics/table.hpp"
#include "editor/panels/panel.hpp"
#include "editor/session/position.hpp"
#include "torsor/control/controller_law.hpp"

namespace torsor::editor {

namespace {

using Names = std::vector<std::string>;

template <class Rows>
Names names_of(const Rows& rows) {
  Names out;
  for (const auto& row : rows) out.emplace_back(row.name);
  return out;
}

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

Names names_of_plugins(const Registry& registry) {
  Names out;
  for (const PluginInfo& plugin : registry.plugins()) out.push_back(plugin.id);
  return out;
}
Names plugins_and_files(const Registry& registry) {
  Names out = names_of_plugins(registry);
  for (const SkippedFile& file : registry.skipped()) out.push_back(file.file.string());
  return out;
}

Names solvers(Editor& editor, const Action& action) {
  Names out;
  if (std::string_view(action.name) == "explain.solver") {
    out = editor.probe.explaining_solvers();
  } else {
    for (const SolverChoice& choice : editor.scene().solvers)
      if (choice.refusal.empty()) out.push_back(choice.id);
  }
  for (std::string& id : out) id = without_kind(id);
  return out;
}

Names timed_quantities() {
  Names out;
  for (const Quantity quantity : all_quantities)
    if (indices(quantity) < 3) out.emplace_back(name(quantity));
  return out;
}

Names traced_symbols(Editor& editor) {
  Names out;
  if (const auto at = explained_step(editor))
    for (const TracedQuantity& quantity : at->tracer.table().quantities)
      out.push_back(quantity.symbol);
  return out;
}

Names parameters(const Editor& editor, const std::string& of) {
  const Load& load = load_in_force(editor);
  if (editor.controllers.chosen >= load.controls.size()) return {};
  const ControlLaw& law = *load.controls[editor.controllers.chosen].law;
  if (of == "law")
    if (const auto* plugin = dynamic_cast<const ControllerLaw*>(&law))
      return names_of(plugin->controller().settings());
  if (const ReferenceLaw* reference = law.reference();
      reference && reference->trajectory && of == "reference")
    return names_of(reference->trajectory->settings());
  return {};
}

Names selectable(const Editor& editor, const std::string& kind) {
  const Model& model = editor.model();
  if (kind == "plugin") return names_of_plugins(editor.plugins());
  if (kind == "link") return names_of(model.links);
  if (kind == "joint") return names_of(model.joints);
  if (kind == "frame") return names_of(model.frames);
  return kind == "robot" ? names_of(model.robots) : Names{};
}

Names of_the_scene(Editor& editor, const Action& action, const std::string& word,
                   const Arguments& before) {
  const Model& model = editor.model();
  if (word == "JOINT")
    return std::string_view(action.name) == "edit.position" ? names_of(positions(model))
                                                            : model.column_names();
  if (word == "I" || word == "J" || word == "K") return model.column_names();
  if (word == "FRAME") return names_of(model.frames);
  if (word == "LINK") return names_of(model.links);
  if (word == "SIGNAL") return names_of(editor.plots.catalogue.signals());
  if (std::string_view(action.name) == "scene.select")
    return selectable(editor, before.text(0, ""));
  if (word == "SOLVER") return solvers(editor, action);
  if (word == "SYMBOL") return traced_symbols(editor);
  if (word == "CONTROL") return controlled_names(editor.scene());
  if (word == "PARAMETER") return parameters(editor, before.text(0, ""));
  if (word == "ENTRY" && editor.controllers.chosen < load_in_force(editor).controls.size())
    return names_of(editor.controllers.tracked(editor, editor.controllers.chosen).entries);
  if (word == "FORK") return names_of(*editor.now->forks);
  if (word == "SNAPSHOT") return names_of(*editor.now->snapshots);
  return {};
}

Names of_a_word(Editor& editor, const Action& action, const std::string& word,
                const Arguments& before) {
  if (word == "PANEL") return names_of(panels());
  if (word == "PANE") return panes();
  if (word == "PART") return names_of(dynamics_rows());
  if (word == "MARK") return names_of(view_toggles());
  if (word == "QUANTITY") return timed_quantities();
  if (word == "PLUGIN") return plugins_and_files(editor.plugins());
  if (word == "FILE" && std::string_view(action.name) == "scene.open")
    return editor.settings.recent;
  return editor.has_scene() ? of_the_scene(editor, action, word, before) : Names{};
}

}  // namespace

std::string action_word(const Action& action, size_t k) {
  std::string text = action.arguments;
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  const Names words = parted(text, ' ');
  return k < words.size() ? words[k] : "";
}

std::vector<std::string> candidates(Editor& editor, const Action& action, size_t k,
                                    const Arguments& before) {
  Names out;
  // "FORK|none": what is in capitals is a kind of word, the others stand for themselves.
  for (const std::string& word : parted(action_word(action, k), '|'))
    if (word.empty() || std::isupper((unsigned char)word[0]))
      std::ranges::copy(of_a_word(editor, action, word, before), std::back_inserter(out));
    else
      out.push_back(word);
  return out;
}

}  // namespace torsor::editor
