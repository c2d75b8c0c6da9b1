#pragma once
// Counts of what a user made in the window and would lose if the scene were closed now.

#include <string>

namespace torsor::editor {

struct UnsavedWork {
  int edits = 0, forks = 0, snapshots = 0;
  bool any() const { return edits > 0 || forks > 0 || snapshots > 0; }
};

// Returns "2 edits, 1 fork and 1 snapshot", without what there is none of; "no edits" if there is
// nothing.
std::string text(const UnsavedWork& work);

}  // namespace torsor::editor
