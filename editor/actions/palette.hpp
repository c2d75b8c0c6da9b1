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
  // The input: a command as in a file of actions but without the time, or some letters of an
  // action's name.
  std::string text;
  int chosen = 0;
  bool cursor_to_end = false;
  std::string error;              // error of the last run
  std::vector<std::string> used;  // names of actions, most recent first
};

// Returns a score for how well the letters of a pattern match a text in order. Spaces and case are
// ignored. Letters at the start of words and consecutive letters score more. Returns nullopt if a
// letter is missing.
std::optional<int> fuzzy_score(std::string_view text, std::string_view pattern);

// A row of the palette.
struct Suggestion {
  std::string line;    // the palette's line after the row is taken
  std::string title;   // description
  std::string detail;  // name and arguments of the action
  std::string key;     // shortcut of the action
  bool runs = false;   // true if the line is complete: taking the row runs it
};
// Returns the suggestions for a text, best first.
std::vector<Suggestion> suggestions(Editor& editor, const std::string& text);

// Runs a line of the palette. Throws the errors of run_action.
void run_line(Editor& editor, const std::string& line);

void show_palette(Editor& editor);
void draw_palette(Editor& editor);

}  // namespace torsor::editor
