#pragma once
// Timeline: the stored states of a run and the changes made to it.

#include <cstdint>
#include <memory>
#include <vector>

#include "torsor/run/change.hpp"
#include "torsor/run/shared_rows.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

// The stored states of a run in the order of their steps, and all changes. The first stored state
// is the start. The last one is the present end of the run, and each appended state replaces it.
// Between these are the states at every stride-th step and the states right after changes. When
// they fill the memory, the stride doubles, and the states at steps that are not multiples of it
// are removed. States right after changes are never removed.
//
// A copy shares the stored states and takes the memory of a few hundred pointers. One thread may
// append to a timeline while other threads read copies of it (shared_rows.hpp). A copy must be made
// by the appending thread, or under a lock that the appending thread also uses.
class Timeline {
 public:
  // memory: limit for the stored states of this timeline, in bytes. The limit is exceeded if the
  // states after changes take more than half of it.
  explicit Timeline(const Snapshot& start, size_t memory = 64 << 20);

  size_t size() const { return rows_.size() + 1; }
  // Returns the size of a stored state in bytes.
  size_t row_bytes() const { return rows_.width() * sizeof(double); }
  long long step(size_t i) const;
  Snapshot at(size_t i) const;
  // Writes state i to out. Does not allocate if the arrays of out already have the right sizes.
  void at(size_t i, Snapshot& out) const;
  // Returns the index of the last stored state at or before a step. The step must not be before the
  // start.
  size_t index_at(long long step) const;
  // Returns the last step that the run has reached.
  long long end() const { return last_.step; }

  // Returns the changes in the order of their steps, at most one of each kind per step.
  const std::vector<Change>& changes() const { return *changes_; }
  template <class Kind>
  const Kind* active_change(long long step) const {
    return torsor::active_change<Kind>(changes(), step);
  }

  // Returns the revision, for readers of individual states. Timelines with the same revision have
  // the same states, except their last ones, up to the length of the shorter one. The revision
  // changes when states are removed, and when copies diverge. Undoing a change at the end by
  // returning to an older copy only shortens the timeline and does not change the revision.
  uint64_t revision() const { return rows_.revision(); }

  // Appends a state after end(). If it is more than one step later, the states between are unknown.
  // Allocates rarely: for a new chunk, or when states are removed.
  void append(const Snapshot& next);
  // Adds a change at a step from the start to end(), and the state after the change. Removes all
  // later states and changes, and an earlier change of the same kind at this step. Player::change()
  // applies a change, computes the state and calls this function.
  void change(const Change& change, const Snapshot& after);
  // Ends the timeline at a snapshot of a step that it has reached, and removes everything after it.
  // The snapshot must include the changes made at this step.
  void cut(const Snapshot& last);

 private:
  bool changed_at(long long step) const;
  void store_last();
  void thin();

  SharedRows rows_;  // all stored states except the last
  Snapshot last_;
  std::shared_ptr<const std::vector<Change>> changes_;
  size_t capacity_;  // maximum number of rows
  long long stride_ = 1;
};

}  // namespace torsor
