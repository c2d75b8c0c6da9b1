#pragma once
// The command palette: finds an action by some of its letters, then suggests its arguments.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "editor/actions/action.hpp"

namespace torsor::editor {

struct CommandPalette {
  bool shown = false;
  // Input of the user: "NAME ARGUMENTS", or some letters of an action's name or title.
  std::string text;
  int chosen = 0;
  bool cursor_to_end = false;
  std::string error;              // error of the last run
  std::vector<std::string> used;  // names of actions, most recent first
};

// Returns how well a text contains the letters of a pattern in order; higher is better. Ignores
// case and the spaces of the pattern. Letters at the start of words and consecutive letters score
// more. Returns nullopt if a letter is missing.
std::optional<int> fuzzy_score(std::string_view text, std::string_view pattern);

// A row of the palette.
struct Suggestion {
  std::string line;    // text of the palette after the row is chosen
  std::string title;   // description
  std::string detail;  // name and arguments of the action
  std::string key;     // shortcut of the action
  bool runs = false;   // true if the line is complete: choosing the row runs it
};
// Returns the suggestions for a text, best first.
std::vector<Suggestion> suggestions(Editor& editor, const std::string& text);

// Runs the action "NAME ARGUMENTS". Throws the errors of run_action().
void run_line(Editor& editor, const std::string& line);

// Shows the palette with an empty input, or hides it if it is shown.
void toggle_palette(Editor& editor);
void draw_palette(Editor& editor);

}  // namespace torsor::editor
