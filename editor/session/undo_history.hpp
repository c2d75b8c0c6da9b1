#pragma once
// The versions of a run that undo and redo bring back.

#include <cstddef>
#include <functional>
#include <vector>

#include "torsor/run/timeline.hpp"

namespace torsor::editor {

// A version of the run.
struct Version {
  Timeline timeline;
  long long step;  // the present step on it
  // The step up to which the next version towards the present has the same states.
  long long shared;
  bool is_made = true;
  std::vector<Change> changes = {};  // if it is still to be made: its edits
  long long end = 0;                 // and the step to which it goes

  // Returns the memory of the kept states that it does not share.
  size_t bytes() const {
    return (timeline.size() - timeline.index_at(shared)) * timeline.row_bytes();
  }
};

// The versions before and after the present one. Together they are at most `most`, of at most
// `most_bytes`. If there are more, those most edits away from the present are dropped, but never
// the last one.
class UndoHistory {
 public:
  explicit UndoHistory(size_t most = 200, size_t most_bytes = size_t(256) << 20)
      : most_(most), most_bytes_(most_bytes) {}

  size_t undoable() const { return undo_.size(); }
  size_t redoable() const { return redo_.size(); }

  // Adds the version before an edit. Nothing is left to redo.
  void record(Version before);
  // Adds a version that redo brings back next.
  void offer(Version after);
  void clear_redo() { redo_.clear(); }
  // Return the version before or after the present one. Keep the present one, which is `now` at a
  // step, for the way back. There must be such a version.
  Version undo(const Timeline& now, long long step);
  Version redo(const Timeline& now, long long step);

  void for_each(const std::function<void(Version&)>& change);

 private:
  void bound();

  size_t most_, most_bytes_;
  std::vector<Version> undo_, redo_;  // the last of each is one edit away from the present
};

}  // namespace torsor::editor
