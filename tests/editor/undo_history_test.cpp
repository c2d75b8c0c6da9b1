// Tests of the versions for undo and redo. Limits of number and memory apply to both directions
// together.

#include "editor/edits/undo_history.hpp"

#include <gtest/gtest.h>

namespace torsor::editor::test {
namespace {

Snapshot state(long long step) {
  Snapshot out;
  out.step = step;
  out.q = out.v = {double(step)};
  return out;
}

// Returns a new run that shares no memory with other runs.
Timeline run(long long steps) {
  Timeline out(state(0));
  while (out.end() < steps) out.append(state(out.end() + 1));
  return out;
}

// Records the versions before a number of edits at step 100. After each edit the run continues to
// step 1000. Returns the last run.
Timeline edited(UndoHistory& history, int edits) {
  Timeline now = run(1000);
  for (int k = 0; k < edits; ++k) {
    history.record({now, 100, 100});
    now = run(1000);
  }
  return now;
}

// Returns the size in bytes of the states from step 100 to 1000.
size_t unshared_bytes() {
  return 901 * run(1).row_bytes();
}

TEST(UndoHistory, CountsWhatIsNotShared) {
  EXPECT_EQ((Version{run(1000), 100, 100}.bytes()), unshared_bytes());
  EXPECT_EQ((Version{run(1000), 100, 1000}.bytes()), run(1).row_bytes()) << "the last state only";
  EXPECT_EQ((Version{run(1000), 100, 0}.bytes()), 1001 * run(1).row_bytes());
}

TEST(UndoHistory, IsBoundedInNumberInBothDirections) {
  UndoHistory history(5);
  Timeline now = edited(history, 9);
  EXPECT_EQ(history.undoable(), 5u);
  for (int k = 0; k < 3; ++k) now = history.undo(now, 100).timeline;
  EXPECT_EQ(history.undoable(), 2u);
  EXPECT_EQ(history.redoable(), 3u);
  history.offer({now, 100, 0});
  EXPECT_EQ(history.undoable() + history.redoable(), 5u)
      << "the version that was added last is kept";
}

TEST(UndoHistory, CountsTheMemoryOfRedo) {
  UndoHistory history(200, 6 * unshared_bytes());
  Timeline now = edited(history, 4);
  now = history.undo(now, 1000).timeline;
  while (now.end() < 3000) now.append(state(now.end() + 1));
  EXPECT_EQ(history.undoable(), 3u);
  now = history.undo(now, 3000).timeline;
  // The versions to redo have 901 and 2901 states. 1604 of the 5406 allowed states are left, which
  // is enough for one more version of 901.
  EXPECT_EQ(history.redoable(), 2u);
  EXPECT_EQ(history.undoable(), 1u);
}

TEST(UndoHistory, KeepsTheNextVersionOfAnySize) {
  UndoHistory history(200, 1);
  Timeline now = edited(history, 3);
  EXPECT_EQ(history.undoable(), 1u);
  now = history.undo(now, 100).timeline;
  EXPECT_EQ(history.redoable(), 1u);
  EXPECT_EQ(history.redo(now, 100).timeline.end(), 1000);
}

TEST(UndoHistory, LeavesNothingToRedoAfterAnEdit) {
  UndoHistory history;
  Timeline now = edited(history, 3);
  now = history.undo(now, 100).timeline;
  history.record({now, 100, 100});
  EXPECT_EQ(history.redoable(), 0u);
  EXPECT_EQ(history.undoable(), 3u);
}

}  // namespace
}  // namespace torsor::editor::test
