#pragma once
// The window on the screen: GLFW, OpenGL 3.3 core, Dear ImGui.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "editor/actions/action_file.hpp"
#include "editor/app/settings.hpp"
#include "editor/session/session.hpp"

namespace torsor::editor {

struct WindowOptions {
  int width = 1280, height = 800;
  std::optional<float> scale;        // replaces the scale of the settings
  std::optional<std::string> theme;  // replaces the theme of the settings
  bool keep_settings = true;         // true: settings are read and written
  // True if other programs use the results. A file that fails to load is then an Error at the end.
  bool for_others = false;
  // Picture to write after the actions are done. The window then closes.
  std::optional<std::filesystem::path> screenshot;
  ActionFile actions;
  // Fault report of the last window, or "".
  std::string fault;
  // Command-line arguments that started this program, and the index of the file's argument among
  // them. They are used to start the program again.
  std::vector<std::string> command = {};
  size_t file_word = 0;
};

// Shows the window until it is closed. Throws Error if there is no display or no OpenGL 3.3, or if
// an action of the file fails.
void show_window(Registry plugins, const SessionOptions& session, WindowOptions options);

}  // namespace torsor::editor
