#pragma once
// Timeline: the stored states of a run and the changes made to it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "torsor/run/shared_rows.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

struct StateChange {
  std::vector<double> q, v;
  bool operator==(const StateChange&) const = default;
};
struct TorqueChange {
  std::vector<double> tau;  // [n_v], constant from this step on
  bool operator==(const TorqueChange&) const = default;
};
struct SolverChange {
  std::string solver;  // id
  bool operator==(const SolverChange&) const = default;
};

struct PullChange {
  std::optional<Pull> pull;  // active from this step on; nullopt releases the pull
  bool operator==(const PullChange&) const = default;
};
struct ParameterChange {
  // All parameters that differ from the scene's from this step on, each control at most once
  std::vector<ControlParameters> controls;
  bool operator==(const ParameterChange&) const = default;
};

// A change made when the run is at this step, before it continues.
struct Change {
  using What = std::variant<StateChange, TorqueChange, SolverChange, PullChange, ParameterChange>;
  long long step;
  What what;
  bool operator==(const Change&) const = default;
};

// Returns the changes at a step. changes must be ordered by step.
inline std::span<const Change> changes_at(std::span<const Change> changes, long long step) {
  return {std::ranges::lower_bound(changes, step, {}, &Change::step),
          std::ranges::upper_bound(changes, step, {}, &Change::step)};
}

// Returns the change of a kind that is active at a step, including changes made there, or null if
// there is none. changes must be ordered by step.
template <class Kind>
const Kind* active_change(std::span<const Change> changes, long long step) {
  auto after = std::ranges::upper_bound(changes, step, {}, &Change::step);
  while (after != changes.begin())
    if (const Kind* kind = std::get_if<Kind>(&(--after)->what)) return kind;
  return nullptr;
}

// The stored states of a run in the order of their steps, and all changes. The first state is the
// start. The last state is the present end of the run and moves with it.
// The states between them are every stride-th step and the states right after changes. When these
// states fill the memory, every other state that is not after a change is removed, and the stride
// doubles.
//
// A copy shares the stored states and costs some hundred pointers. One thread may append to a
// timeline while other threads read copies of it (shared_rows.hpp). A copy must be made by the
// appending thread, or under a lock that this thread uses too.
class Timeline {
 public:
  // memory: bytes for the stored states of this timeline. It is exceeded if the states after
  // changes need more than half of it.
  explicit Timeline(const Snapshot& start, size_t memory = 64 << 20);

  size_t size() const { return rows_.size() + 1; }
  // Returns the size of a stored state in bytes.
  size_t row_bytes() const { return rows_.width() * sizeof(double); }
  long long step(size_t i) const;
  Snapshot at(size_t i) const;
  // Writes state i to out. Does not allocate if out already belongs to this model.
  void at(size_t i, Snapshot& out) const;
  // Returns the index of the last stored state at or before a step. The step must not be before the
  // start.
  size_t index_at(long long step) const;
  // Returns the last step reached.
  long long end() const { return last_.step; }

  // Returns the changes by step, at most one of each kind per step.
  const std::vector<Change>& changes() const { return *changes_; }
  template <class Kind>
  const Kind* active_change(long long step) const {
    return torsor::active_change<Kind>(changes(), step);
  }

  // Returns the revision, for readers of single states. Timelines of the same revision have the
  // same states before their last ones, up to the length of the shorter one. The revision changes
  // when states are cut off or thinned out, and when copies diverge. Undoing a change at the end by
  // returning to an older copy only shortens the timeline and keeps the revision.
  uint64_t revision() const { return rows_.revision(); }

  // Appends the state one step after end(), or a later one if the states between are unknown.
  // Rarely allocates: for a new chunk, or to thin out states.
  void append(const Snapshot& next);
  // Adds a change at a step from the start to end(), and the state after it. Cuts off everything
  // after this step, and replaces an earlier change of the same kind at this step. Player::change
  // makes both the change and the state.
  void change(const Change& change, const Snapshot& after);
  // Ends the timeline at a snapshot of a step that it has reached. The snapshot must include the
  // changes made at this step. Cuts off everything after it.
  void cut(const Snapshot& last);

 private:
  bool changed_at(long long step) const;
  void store_last();
  void thin();

  SharedRows rows_;  // all stored states but the last
  Snapshot last_;
  std::shared_ptr<const std::vector<Change>> changes_;
  size_t capacity_;  // rows
  long long stride_ = 1;
};

}  // namespace torsor
