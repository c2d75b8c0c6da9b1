#pragma once
// A panel is a function that draws and a row of the table in table.cpp.

#include <span>

#include "editor/app/action.hpp"
#include "editor/app/settings.hpp"

namespace torsor::editor {

struct Panel {
  const char* name;   // in actions: "panel.show dynamics"
  const char* title;  // "Dynamics"
  Pane pane;          // at first; the tabs of a pane are in the order of the table
  char letter;        // Alt with it shows the panel; 0: none
  bool open;          // at first
  // Into the present ImGui window. The editor has a moment; where it has no scene, panels of scenes
  // are not called.
  void (*draw)(Editor&);
  std::span<const Action> (*actions)();
  bool needs_scene = true;
};

std::span<const Panel> panels();
// Throws Error with "did you mean".
const Panel& panel(std::string_view name);
Shortcut shortcut_of(const Panel& row);

}  // namespace torsor::editor
