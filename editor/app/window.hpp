#pragma once
// The window on the screen: GLFW, OpenGL 3.3 core, Dear ImGui.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "editor/app/action_file.hpp"
#include "editor/app/settings.hpp"
#include "editor/session/session.hpp"

namespace torsor::editor {

struct WindowOptions {
  int width = 1280, height = 800;
  std::optional<float> scale;        // instead of that of the settings
  std::optional<std::string> theme;  // likewise
  bool keep_settings = true;         // read and written
  // Who look at what came of it: a file that was not loaded is an Error at the end.
  bool for_others = false;
  std::optional<std::filesystem::path>
      screenshot;  // written once the actions are done; then the window closes
  ActionFile actions;
  std::string fault;  // how the last window ended, or ""
  // The words that started this program, and which of them is the file: to start it again.
  std::vector<std::string> command = {};
  size_t file_word = 0;
};

// Shows the window until it is closed. Throws Error if there is no display or no OpenGL 3.3, and
// for an action of the file that fails.
void show_window(Registry plugins, const SessionOptions& session, WindowOptions options);

}  // namespace torsor::editor
