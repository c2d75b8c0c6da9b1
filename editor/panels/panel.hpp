#pragma once
// A panel is a function that draws and a row of the table in table.cpp.

#include <span>

#include "editor/app/action.hpp"

namespace torsor::editor {

enum class Side { left, center, right };

struct Panel {
  const char* name;   // in actions: "panel.show dynamics"
  const char* title;  // "Dynamics"
  Side side;          // column of the layout, from top to bottom in the order of the table
  float weight;       // of its height in the column at first
  bool open;          // at first
  // Into the present ImGui window. The editor has a moment; where it has no scene, panels of scenes are not called.
  void (*draw)(Editor&);
  std::span<const Action> (*actions)();
  bool needs_scene = true;
};

std::span<const Panel> panels();
// Throws Error with "did you mean".
const Panel& panel(std::string_view name);

}  // namespace torsor::editor
