#pragma once
// The window on the screen: GLFW, OpenGL 3.3 core, Dear ImGui.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "editor/actions/action_file.hpp"
#include "editor/app/settings.hpp"
namespace torsor {
class Registry;
}  // namespace torsor

namespace torsor::editor {

struct SessionOptions;

struct WindowOptions {
  int width = 1280, height = 800;
  std::optional<float> scale;        // replaces the scale of the settings
  std::optional<std::string> theme;  // replaces the theme of the settings
  bool keep_settings = true;         // true: settings are read and written
  // True if other programs use the results. show_window() then throws Error at the end if the file
  // did not load.
  bool for_others = false;
  // Picture file to write after the last action. The window then closes.
  std::optional<std::filesystem::path> screenshot;
  ActionFile actions;
  std::filesystem::path study = {};  // table to open in the panel of studies; "": none
  // Report of the fault that ended the previous window, or "".
  std::string fault;
  // Command line of this program, to start it again, and the index of the file in it.
  std::vector<std::string> command = {};
  size_t file_word = 0;
};

// Shows the window until it is closed. Throws Error if there is no display or no OpenGL 3.3, if an
// action of the file fails, or if a video cannot be finished.
void show_window(Registry plugins, const SessionOptions& session, WindowOptions options);

}  // namespace torsor::editor
