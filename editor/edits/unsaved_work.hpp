#pragma once
// Counts the edits, forks and snapshots that would be lost if the scene were closed now.

#include <string>

namespace torsor::editor {

struct UnsavedWork {
  int edits = 0, forks = 0, snapshots = 0;
  bool any() const { return edits > 0 || forks > 0 || snapshots > 0; }
};

// Returns "2 edits, 1 fork and 1 snapshot" without zero counts, or "no edits" if all counts are
// zero.
std::string text(const UnsavedWork& work);

}  // namespace torsor::editor
