#pragma once
// The dialog that opens a file. It lists folders, recent files and the scenes that are part of
// Torsor.

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::editor {

class Editor;

struct OpenDialog {
  struct Entry {
    std::filesystem::path path;
    std::string label;
    bool folder = false, missing = false;
  };

  bool shown = false;
  std::string text;   // a path, absolute or relative to the folder, or part of a name
  std::string error;  // reason why the text could not be opened
  bool floating_base = false;
  int chosen = 0;  // the row that Enter opens
  bool cursor_to_end = false;
  std::filesystem::path folder;  // start of relative paths in the text
  std::filesystem::path listed;  // folder of `here`
  std::vector<Entry> here;       // folders first, then files that can be opened
  std::vector<Entry> recent, shipped;
};

// Shows the dialog with the files that exist now.
void show_open_dialog(Editor& editor);
void draw_open_dialog(Editor& editor);

// Returns the text with the last component of its path completed as far as it is unambiguous.
std::string completed(const OpenDialog& dialog, const std::string& text);
// Returns the path for a text, relative to the folder of the dialog. "~/" is the home folder.
std::filesystem::path path_of(const OpenDialog& dialog, const std::string& text);

// Returns the folder of the scenes that are part of Torsor, or "" if there is none.
std::filesystem::path shipped_scenes();

// Opens the first file that was dropped on the window. Reports that the others are not opened.
void open_dropped(Editor& editor, const std::vector<std::string>& files);

}  // namespace torsor::editor
