#pragma once
// Stores the versions of a run for undo and redo.

#include <cstddef>
#include <functional>
#include <vector>

#include "torsor/run/timeline.hpp"

namespace torsor::editor {

// A version of the run.
struct Version {
  Timeline timeline;
  long long step;  // the current step in this version
  // Last step up to which this version and its neighbour have the same states. The neighbour is the
  // version that is one edit nearer to the current one.
  long long shared;
  bool is_made = true;
  std::vector<Change> changes = {};  // the edits, if the version is not yet computed
  long long end = 0;                 // the last step, if the version is not yet computed

  // Returns the size in bytes of the stored states that this version does not share with its
  // neighbour.
  size_t bytes() const {
    return (timeline.size() - timeline.index_at(shared)) * timeline.row_bytes();
  }
};

// The versions before and after the current one: at most `most` versions, whose unshared states
// take at most `most_bytes`. If a limit is exceeded, the versions farthest from the current one are
// dropped. The last remaining version is kept even if it exceeds most_bytes.
class UndoHistory {
 public:
  explicit UndoHistory(size_t most = 200, size_t most_bytes = size_t(256) << 20)
      : most_(most), most_bytes_(most_bytes) {}

  size_t undoable() const { return undo_.size(); }
  size_t redoable() const { return redo_.size(); }

  // Adds the version before an edit to the versions for undo. Clears the versions for redo.
  void record(Version before);
  // Adds a version that the next redo restores.
  void offer(Version after);
  void clear_redo() { redo_.clear(); }
  // undo() returns the version before the current one, redo() the version after it. This version
  // must exist. Both store the current version (`now` at `step`) for the opposite direction.
  Version undo(const Timeline& now, long long step);
  Version redo(const Timeline& now, long long step);

  void for_each(const std::function<void(Version&)>& change);

 private:
  void bound();

  size_t most_, most_bytes_;
  // Versions to undo and redo. The last entry of either list is one edit away from the current
  // version.
  std::vector<Version> undo_, redo_;
};

}  // namespace torsor::editor
