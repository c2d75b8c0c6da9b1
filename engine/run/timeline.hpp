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
  std::string solver;  // id of the solver
  bool operator==(const SolverChange&) const = default;
};

struct PullChange {
  std::optional<Pull> pull;  // active from this step on; nullopt ends the pull
  bool operator==(const PullChange&) const = default;
};
struct ParameterChange {
  // All parameters that differ from those of the scene from this step on. Each control occurs at
  // most once.
  std::vector<ControlParameters> controls;
  bool operator==(const ParameterChange&) const = default;
};

// A change made when the run has reached this step, before the next step.
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

// Returns the latest change of a kind at or before a step, or null if there is none. changes must
// be ordered by step.
template <class Kind>
const Kind* active_change(std::span<const Change> changes, long long step) {
  auto after = std::ranges::upper_bound(changes, step, {}, &Change::step);
  while (after != changes.begin())
    if (const Kind* kind = std::get_if<Kind>(&(--after)->what)) return kind;
  return nullptr;
}

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
