#pragma once
// The console: Lua on the live scene.

#include <array>
#include <optional>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/session/console.hpp"
#include "editor/session/console_history.hpp"

namespace torsor::editor {

struct ConsolePanel final : Panel {
  explicit ConsolePanel(const SessionOptions& options);
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  std::array<char, 32768> input{};
  ConsoleHistory history;
  size_t shown = 0;                        // of the history; its size: what is being written
  std::string written;                     // that what is shown begins with
  std::optional<std::string> replacement;  // of the input, where it is being edited
  std::string insertion;                   // at its cursor
  std::string asked;                       // the text before the cursor that is being completed
  std::string candidates;                  // that complete it, to be shown
  int drawn = 0;                           // number of the last frame that showed it
  bool focus = false;                      // the next frame

  long revision = -1;  // of the lines
  std::vector<Console::Line> lines;
};

}  // namespace torsor::editor
