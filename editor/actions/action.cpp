#include "editor/actions/action.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "editor/app/editor.hpp"
#include "editor/session/session.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

Arguments::Arguments(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (size_t i = 0; i < text.size();) {
    if (blank(text[i])) {
      ++i;
      continue;
    }
    const bool quoted = text[i] == '"';
    const size_t begin = i + quoted;
    size_t end = begin;
    while (end < text.size() && (quoted ? text[end] != '"' : !blank(text[end]))) ++end;
    if (quoted && end == text.size()) throw Error("a quote is not closed: add a \" at its end");
    words_.emplace_back(text.substr(begin, end - begin));
    i = end + quoted;
  }
}

const std::string& Arguments::text(size_t k, const char* what) const {
  if (k >= words_.size()) throw Error(fmt::format("{} is missing", what));
  return words_[k];
}

double Arguments::number(size_t k, const char* what) const {
  const std::string& word = text(k, what);
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(value))
    throw Error(fmt::format("{} is '{}'; it must be a finite number", what, word));
  return value;
}

bool Arguments::flag(size_t k, const char* what) const {
  const std::string& word = text(k, what);
  if (word != "on" && word != "off")
    throw Error(fmt::format("{} is '{}'; it must be on or off", what, word));
  return word == "on";
}

bool Arguments::has(size_t k, const char* word) const {
  if (k >= words_.size()) return false;
  if (words_[k] != word)
    throw Error(
        fmt::format("unexpected '{1}' after '{0}'; use '{2}'", words_[k - 1], words_[k], word));
  return true;
}

std::vector<const Action*> all_actions() {
  std::vector<const Action*> all;
  for (const Action& action : window_actions()) all.push_back(&action);
  for (const PanelRow& row : panel_rows())
    for (const Action& action : row.actions()) all.push_back(&action);
  return all;
}

namespace {

const Action& find_action(std::string_view name) {
  static const std::vector<const Action*> all = all_actions();
  for (const Action* action : all)
    if (action->name == name) return *action;
  std::vector<std::string> names;
  for (const Action* action : all) names.emplace_back(action->name);
  throw Error(fmt::format("there is no action '{}'; `torsor edit --help` lists all actions{}", name,
                          did_you_mean(std::string(name), names)));
}

size_t most_arguments(const Action& action) {
  const std::string_view words = action.arguments;
  return words.empty() ? 0 : size_t(1 + std::count(words.begin(), words.end(), ' '));
}

}  // namespace

void run_action(Editor& editor, std::string_view name, const Arguments& arguments) {
  const Action& action = find_action(name);
  if (arguments.size() > most_arguments(action))
    throw Error(fmt::format("{} takes {}", name,
                            *action.arguments ? action.arguments : std::string("no arguments")));
  try {
    action.run(editor, arguments);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

void try_action(Editor& editor, std::string_view name, const Arguments& arguments) noexcept {
  try {
    run_action(editor, name, arguments);
  } catch (const std::exception& error) {
    editor.session.post(command::Report{{Problem::Kind::error, error.what()}});
  }
}

std::string shortcut_text(const Shortcut& shortcut) {
  if (shortcut.key == 0) return "";
  static constexpr struct {
    int key;
    const char* text;
  } named[] = {{GLFW_KEY_SPACE, "Space"},     {GLFW_KEY_BACKSPACE, "Backspace"},
               {GLFW_KEY_LEFT, "Left"},       {GLFW_KEY_RIGHT, "Right"},
               {GLFW_KEY_UP, "Up"},           {GLFW_KEY_DOWN, "Down"},
               {GLFW_KEY_HOME, "Home"},       {GLFW_KEY_END, "End"},
               {GLFW_KEY_PAGE_UP, "Page Up"}, {GLFW_KEY_PAGE_DOWN, "Page Down"},
               {GLFW_KEY_F1, "F1"},           {GLFW_KEY_F12, "F12"},
               {GLFW_KEY_ESCAPE, "Esc"},      {GLFW_KEY_EQUAL, "+"},
               {GLFW_KEY_MINUS, "-"},         {GLFW_KEY_DELETE, "Delete"}};
  std::string text;
  if (shortcut.ctrl) text += "Ctrl+";
  if (shortcut.alt) text += "Alt+";
  if (shortcut.shift) text += "Shift+";
  for (const auto& [key, name] : named)
    if (key == shortcut.key) return text + name;
  return text + char(shortcut.key);  // GLFW numbers of letters and digits are ASCII codes
}

void action_tooltip(std::string_view name) {
  if (!ImGui::IsItemHovered()) return;
  const Action& action = find_action(name);
  const std::string key = shortcut_text(action.shortcut);
  tooltip(key.empty() ? action.title : fmt::format("{}  ({})", action.title, key));
}

bool action_button(Editor& editor, const char* label, std::string_view name,
                   const Arguments& arguments) {
  const bool pressed = ImGui::Button(label);
  action_tooltip(name);
  if (pressed) try_action(editor, name, arguments);
  return pressed;
}

bool action_toggle(Editor& editor, const char* label, bool on, std::string_view name,
                   const Arguments& arguments) {
  bool ticked = on;
  const bool pressed = ImGui::Checkbox(label, &ticked);
  action_tooltip(name);
  if (pressed) try_action(editor, name, arguments);
  return pressed;
}

bool action_choice(Editor& editor, const char* label, bool chosen, std::string_view name,
                   const Arguments& arguments, const char* hint) {
  if (chosen) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_Header]);
  const bool pressed = ImGui::Button(label);
  if (chosen) ImGui::PopStyleColor();
  tooltip(hint);
  if (pressed) try_action(editor, name, arguments);
  return pressed;
}

bool action_item(Editor& editor, std::string_view name, bool checked, const Arguments& arguments) {
  const Action& action = find_action(name);
  const bool chosen =
      ImGui::MenuItem(action.title, shortcut_text(action.shortcut).c_str(), checked);
  if (chosen) try_action(editor, name, arguments);
  return chosen;
}

}  // namespace torsor::editor
