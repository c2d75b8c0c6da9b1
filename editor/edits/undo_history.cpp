#include "editor/edits/undo_history.hpp"

#include <algorithm>
#include <utility>

namespace torsor::editor {

namespace {

Version taken_from(std::vector<Version>& versions) {
  Version out = std::move(versions.back());
  versions.pop_back();
  return out;
}

// Returns the current version (`now` at `step`) for the list of versions to undo or redo. next: the
// version that becomes the current one. If `next` is not yet computed, the two share no states.
Version kept_beside(const Version& next, const Timeline& now, long long step) {
  return {now, step, next.is_made ? next.shared : now.step(0)};
}

}  // namespace

void UndoHistory::record(Version before) {
  undo_.push_back(std::move(before));
  redo_.clear();
  bound();
}

void UndoHistory::offer(Version after) {
  redo_.push_back(std::move(after));
  bound();
}

Version UndoHistory::undo(const Timeline& now, long long step) {
  Version before = taken_from(undo_);
  redo_.push_back(kept_beside(before, now, step));
  bound();
  return before;
}

Version UndoHistory::redo(const Timeline& now, long long step) {
  Version after = taken_from(redo_);
  undo_.push_back(kept_beside(after, now, step));
  bound();
  return after;
}

void UndoHistory::for_each(const std::function<void(Version&)>& change) {
  std::ranges::for_each(undo_, change);
  std::ranges::for_each(redo_, change);
}

void UndoHistory::bound() {
  size_t bytes = 0;
  for (const auto* versions : {&undo_, &redo_})
    for (const Version& version : *versions) bytes += version.bytes();
  while (undo_.size() + redo_.size() > most_ ||
         (bytes > most_bytes_ && undo_.size() + redo_.size() > 1)) {
    std::vector<Version>& longer = undo_.size() >= redo_.size() ? undo_ : redo_;
    bytes -= longer.front().bytes();
    longer.erase(longer.begin());
  }
}

}  // namespace torsor::editor
