#pragma once
// Numbers of edits, forks and snapshots that would be lost if the scene were closed now.

#include <string>

namespace torsor::editor {

struct UnsavedWork {
  int edits = 0, forks = 0, snapshots = 0;
  bool any() const { return edits > 0 || forks > 0 || snapshots > 0; }
};

// Returns the numbers as text, "2 edits, 1 fork and 1 snapshot". Omits zeros; returns "no edits" if
// all numbers are zero.
std::string text(const UnsavedWork& work);

}  // namespace torsor::editor
