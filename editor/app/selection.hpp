#pragma once
// The selected part of the model.

#include <string>

namespace torsor::editor {

class Editor;

// A part of the model, by its index in the model.
struct Selection {
  enum class Kind { none, robot, link, joint, frame, closure, plugin } kind = Kind::none;
  int index = 0;
  bool operator==(const Selection&) const = default;
};

const char* kind_name(Selection::Kind kind);  // "link"
// Returns a part by its kind and name. Throws Error if it does not exist.
Selection find_selection(const Editor& editor, const std::string& kind, const std::string& name);
// Returns the selection as an argument of scene.select: "link link4", or "none".
std::string selection_text(const Editor& editor);

}  // namespace torsor::editor
