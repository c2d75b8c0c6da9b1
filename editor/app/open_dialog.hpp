#pragma once
// What can be opened in the window: files opened last, the scenes that come with Torsor, and folders.

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
  std::string text;  // what is looked for, or a path
  bool floating_base = false;
  std::filesystem::path folder;  // that `here` is of
  std::vector<Entry> recent, shipped, here;
};

// Shows it, with what is on the disk now.
void show_open_dialog(Editor& editor);
void draw_open_dialog(Editor& editor);

// Whether it is a file that the window opens: a scene, a robot or a recording.
bool can_be_opened(const std::filesystem::path& file);
// Of scenes that come with Torsor, beside its scripts; "" where there are none.
std::filesystem::path shipped_scenes();

// What was dropped on the window: the first is opened, and others are said to be left out.
void open_dropped(Editor& editor, const std::vector<std::string>& files);

}  // namespace torsor::editor
