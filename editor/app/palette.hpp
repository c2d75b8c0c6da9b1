#pragma once
// The palette: any action by a few of its letters, then its arguments with what they may be.

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

// How well a text has the letters of a pattern in their order, spaces and case aside: more where they begin words or follow each other;
// nothing where it has not all of them.
std::optional<int> fuzzy_score(std::string_view text, std::string_view pattern);

// A row of the palette.
struct Suggestion {
  std::string line;    // of the palette when it is taken
  std::string title;   // what it is
  std::string detail;  // name and arguments of an action
  std::string key;     // its shortcut
  bool runs = false;   // it is whole: taking it runs it
};
// Of a text, the best first.
std::vector<Suggestion> suggestions(Editor& editor, const std::string& text);

// Runs a line; throws Error as run_action.
void run_line(Editor& editor, const std::string& line);

void show_palette(Editor& editor);
void draw_palette(Editor& editor);

}  // namespace torsor::editor
