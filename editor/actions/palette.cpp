#include "editor/actions/palette.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "editor/actions/candidates.hpp"
#include "editor/app/editor.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

using Names = std::vector<std::string>;

std::string quoted_word(const std::string& word) {
  return word.empty() || word.find(' ') != std::string::npos ? '"' + word + '"' : word;
}

const Action* action_of(std::string_view name) {
  for (const Action* action : all_actions())
    if (action->name == name) return action;
  return nullptr;
}

struct Scored {
  int score;
  Suggestion suggestion;
};
std::vector<Suggestion> best_first(std::vector<Scored> scored) {
  std::ranges::stable_sort(scored, std::ranges::greater(), &Scored::score);
  std::vector<Suggestion> out;
  for (Scored& each : scored) out.push_back(std::move(each.suggestion));
  return out;
}

// Returns the matching actions, best first. Recently used actions come first among equal scores.
std::vector<Suggestion> actions_like(const Editor& editor, const std::string& text) {
  std::vector<Scored> scored;
  const Names& used = editor.palette.used;
  for (const Action* action : all_actions()) {
    const auto by_title = fuzzy_score(action->title, text),
               by_name = fuzzy_score(action->name, text);
    if (!by_title && !by_name) continue;
    const auto at = std::ranges::find(used, action->name);
    const int recency = at == used.end() ? 0 : int(20 - std::min<ptrdiff_t>(at - used.begin(), 19));
    const bool whole = *action->arguments == '\0';
    scored.push_back({8 * std::max(by_title.value_or(0), by_name.value_or(0)) + recency,
                      {fmt::format("{}{}", action->name, whole ? "" : " "), action->title,
                       fmt::format("{} {}", action->name, action->arguments),
                       shortcut_text(action->shortcut), whole}});
  }
  return best_first(std::move(scored));
}

std::vector<Suggestion> arguments_like(Editor& editor, const Action& action,
                                       const std::string& line) {
  const size_t cut = line.find_last_of(' ') + 1;
  const std::string before = line.substr(0, cut), word = line.substr(cut);
  const Arguments given(std::string_view(before).substr(std::string_view(action.name).size()));
  const size_t k = given.size();
  std::vector<Scored> scored;
  for (const std::string& name : candidates(editor, action, k, given)) {
    const auto score = fuzzy_score(name, word);
    if (!score) continue;
    const bool last = action_word(action, k + 1).empty();
    scored.push_back(
        {*score,
         {before + quoted_word(name) + (last ? "" : " "), name, action_word(action, k), "", last}});
  }
  std::vector<Suggestion> out = best_first(std::move(scored));
  const bool enough =
      action_word(action, k).empty() || std::string_view(action.arguments)[0] == '[' || k > 0;
  const Suggestion as_it_is{line, fmt::format("run  {}", line), enough ? "" : action.arguments, "",
                            true};
  if (word.empty() || out.empty()) out.insert(enough ? out.begin() : out.end(), as_it_is);
  return out;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view text, std::string_view pattern) {
  const auto lower = [](char c) { return std::tolower((unsigned char)c); };
  int score = 0, run = 0;
  size_t at = 0;
  for (const char wanted : pattern) {
    if (wanted == ' ') {
      run = 0;
      continue;
    }
    const auto begins_word = [&](size_t i) {
      return i == 0 || !std::isalnum((unsigned char)text[i - 1]);
    };
    // Match the next letter, or else the next word that begins with it, or else its next
    // occurrence.
    size_t next = at;
    if (!(run > 0 && at < text.size() && lower(text[at]) == lower(wanted))) {
      while (next < text.size() && !(lower(text[next]) == lower(wanted) && begins_word(next)))
        ++next;
      if (next == text.size())
        for (next = at; next < text.size() && lower(text[next]) != lower(wanted);) ++next;
      if (next == text.size()) return std::nullopt;
      run = 0;
    }
    score += 1 + 2 * std::min(run, 3) + (begins_word(next) ? 4 : 0);
    ++run;
    at = next + 1;
  }
  return score;
}

std::vector<Suggestion> suggestions(Editor& editor, const std::string& text) {
  const size_t space = text.find(' ');
  if (space != std::string::npos)
    if (const Action* action = action_of(std::string_view(text).substr(0, space))) try {
        return arguments_like(editor, *action, text);
      } catch (const Error&) {  // the quote is not closed yet
        return {};
      }
  return actions_like(editor, text);
}

void run_line(Editor& editor, const std::string& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, end);
  run_action(editor, name, Arguments(std::string_view(line).substr(end)));
  std::erase(editor.palette.used, name);
  editor.palette.used.insert(editor.palette.used.begin(), name);
}

void toggle_palette(Editor& editor) {
  CommandPalette& palette = editor.palette;
  palette.shown = !palette.shown;
  if (palette.shown)
    editor.help = editor.open_dialog.shown = editor.export_dialog.shown =
        false;  // one overlay at a time
  palette.text.clear();
  palette.error.clear();
  palette.chosen = 0;
}

namespace {

void take(Editor& editor, const Suggestion& suggestion) {
  CommandPalette& palette = editor.palette;
  palette.text = suggestion.line;
  palette.cursor_to_end = true;
  palette.chosen = 0;
  palette.error.clear();
  if (!suggestion.runs) return;
  palette.shown = false;  // set first, because the action may show the palette
  try {
    run_line(editor, suggestion.line);
  } catch (const Error& error) {
    palette.shown = true;
    palette.error = error.what();
  }
}

int to_the_end(ImGuiInputTextCallbackData* data) {
  bool& wanted = *static_cast<bool*>(data->UserData);
  if (std::exchange(wanted, false))
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  return 0;
}

// Draws the text field. Returns whether Enter was pressed.
bool draw_text(CommandPalette& palette) {
  // An ImGui text field with the focus edits its own copy of the text. Enter removes the focus.
  // Setting the focus again makes the field read palette.text.
  if (ImGui::IsWindowAppearing() || palette.cursor_to_end) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  const std::string before = palette.text;
  const bool entered = ImGui::InputTextWithHint(
      "##line", "type some letters of an action", &palette.text,
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways,
      [](auto* data) { return to_the_end(data); }, &palette.cursor_to_end);
  if (palette.text != before) palette.chosen = 0, palette.error.clear();
  return entered;
}

// Draws a row. Returns whether it was clicked.
bool draw_row(const Suggestion& row, bool chosen) {
  const float room = ImGui::GetContentRegionAvail().x, x = ImGui::GetCursorPosX();
  const bool clicked = ImGui::Selectable("##row", chosen);
  ImGui::SameLine(x);
  ImGui::TextUnformatted(shortened(row.title, room * 0.48f).c_str());
  ImGui::SameLine(x + room * 0.5f);
  dim_text(shortened(row.detail, room * 0.34f));
  ImGui::SameLine(x + room - ImGui::CalcTextSize(row.key.c_str()).x);
  ImGui::TextUnformatted(row.key.c_str());
  return clicked;
}

}  // namespace

void draw_palette(Editor& editor) {
  CommandPalette& palette = editor.palette;
  if (begin_overlay("Palette", palette.shown, 660, 440)) {
    const bool entered = draw_text(palette);
    if (!palette.error.empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, color(Shade::error));
      draw_wrapped_text(palette.error);
      ImGui::PopStyleColor();
    }
    const std::vector<Suggestion> rows = suggestions(editor, palette.text);
    const int last = std::max(0, int(rows.size()) - 1);
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const int moved = int(pressed(ImGuiKey_DownArrow)) - int(pressed(ImGuiKey_UpArrow));
    palette.chosen = std::clamp(palette.chosen + moved, 0, last);
    std::optional<Suggestion> taken;
    if (entered && rows.empty()) palette.error = "no such action", palette.cursor_to_end = true;
    if (entered && !rows.empty()) taken = rows[size_t(palette.chosen)];
    ImGui::BeginChild("rows");
    for (int k = 0; k < int(rows.size()); ++k) {
      ImGui::PushID(k);
      if (draw_row(rows[size_t(k)], k == palette.chosen)) taken = rows[size_t(k)];
      if (moved != 0 && k == palette.chosen) ImGui::SetScrollHereY(0.5f);
      ImGui::PopID();
    }
    ImGui::EndChild();
    if (taken) take(editor, *taken);
    ImGui::EndPopup();
  }
}

}  // namespace torsor::editor
