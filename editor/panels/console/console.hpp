#pragma once
// The console panel: a Lua prompt for the current run.

#include <array>
#include <optional>
#include <string>

#include "editor/console/console.hpp"
#include "editor/console/console_history.hpp"
#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct ConsolePanel final : Panel {
  explicit ConsolePanel(const SessionOptions& options);
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  std::array<char, 32768> input{};
  ConsoleHistory history;
  // Index of the history entry in the input; history.size() if the input is new.
  size_t shown = 0;
  std::string written;                     // input before browsing; prefix of the browsed entries
  std::optional<std::string> replacement;  // new input, set by the next callback of the field
  std::string insertion;                   // text that the next callback inserts at the cursor
  // The text before the cursor whose completions were requested.
  std::string asked;
  std::string candidates;  // completions to show
  int drawn = 0;           // ImGui number of the last frame in which the panel was drawn
  bool focus = false;      // true: set the keyboard focus in the next frame

  // Revision of the console from which `lines` was copied; -1: none.
  long revision = -1;
  std::vector<Console::Line> lines;
};

}  // namespace torsor::editor
