#pragma once
// The palette: finds an action by some of its letters, then suggests its arguments.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "editor/app/action.hpp"

namespace torsor::editor {

struct CommandPalette {
  bool shown = false;
  std::string text;  // a line as in a file of actions, without the time; or letters of an action
  int chosen = 0;
  bool cursor_to_end = false;
  std::string error;              // of what was run last
  std::vector<std::string> used;  // names of actions, the last first
};

// Returns how well a text matches the letters of a pattern in their order; spaces and case do not
// count. Letters that begin words or follow each other score more. Returns nullopt if a letter is
// missing.
std::optional<int> fuzzy_score(std::string_view text, std::string_view pattern);

// A row of the palette.
struct Suggestion {
  std::string line;    // of the palette when it is taken
  std::string title;   // what it is
  std::string detail;  // name and arguments of an action
  std::string key;     // its shortcut
  bool runs = false;   // it is whole: taking it runs it
};
// Returns the suggestions for a text, the best first.
std::vector<Suggestion> suggestions(Editor& editor, const std::string& text);

// Runs a line of the palette. Throws Error as run_action does.
void run_line(Editor& editor, const std::string& line);

void show_palette(Editor& editor);
void draw_palette(Editor& editor);

}  // namespace torsor::editor
