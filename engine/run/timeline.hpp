#pragma once
// Where a run has been, and what it was given on the way.

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
  std::vector<double> tau;  // [n_v], constant from here on
  bool operator==(const TorqueChange&) const = default;
};
struct SolverChange {
  std::string solver;  // id
  bool operator==(const SolverChange&) const = default;
};

struct PullChange {
  std::optional<Pull> pull;  // from here on; nothing: it is let go
  bool operator==(const PullChange&) const = default;
};
struct ParameterChange {
  // All that are not the scene's from here on, each control once.
  std::vector<ControlParameters> controls;
  bool operator==(const ParameterChange&) const = default;
};

// Made when the run stands at this step, before it goes on.
struct Change {
  using What = std::variant<StateChange, TorqueChange, SolverChange, PullChange, ParameterChange>;
  long long step;
  What what;
  bool operator==(const Change&) const = default;
};

// Returns the changes at a step, of changes by step.
inline std::span<const Change> changes_at(std::span<const Change> changes, long long step) {
  return {std::ranges::lower_bound(changes, step, {}, &Change::step),
          std::ranges::upper_bound(changes, step, {}, &Change::step)};
}

// The change of a kind, of changes by step, that holds at a step, those made there included; null
// before the first.
template <class Kind>
const Kind* in_force(std::span<const Change> changes, long long step) {
  auto after = std::ranges::upper_bound(changes, step, {}, &Change::step);
  while (after != changes.begin())
    if (const Kind* kind = std::get_if<Kind>(&(--after)->what)) return kind;
  return nullptr;
}

// Kept states, in the order of their steps, and all changes. The first state is the start; the last
// is where the run has come to, and it moves on with it. Between them lie every stride-th step and
// the states right after changes; where they fill the memory, every other one of the former is
// dropped and the stride doubles.
//
// A copy shares the kept states: it costs some hundred pointers. One thread may add to a timeline
// while others read copies of it (shared_rows.hpp); a copy is made by the thread that adds, or
// under a lock that it takes as well.
class Timeline {
 public:
  // memory: bytes for the kept states, of this timeline alone; exceeded where those after changes
  // need more than half of it.
  explicit Timeline(const Snapshot& start, size_t memory = 64 << 20);

  size_t size() const { return rows_.size() + 1; }
  size_t row_bytes() const { return rows_.width() * sizeof(double); }  // of a kept state
  long long step(size_t i) const;
  Snapshot at(size_t i) const;
  void at(size_t i, Snapshot& out) const;  // allocates nothing where out is of this model already
  // The last kept state at or before a step that is not before the start.
  size_t index_at(long long step) const;
  long long end() const { return last_.step; }  // the last step reached

  // By step; of each kind at most one at a step.
  const std::vector<Change>& changes() const { return *changes_; }
  template <class Kind>
  const Kind* in_force(long long step) const {
    return torsor::in_force<Kind>(changes(), step);
  }

  // For who reads states one by one: timelines of one revision agree in all states before the last
  // of each, as far as both go. It is another where states are cut off or thinned out, and where
  // copies part; undoing a change made at the end by an older copy only shortens.
  uint64_t revision() const { return rows_.revision(); }

  // The state one step after end(), or later where those between are not known. Allocates only now
  // and then: a chunk, or where it thins.
  void append(const Snapshot& next);
  // A change at a step from the start to end(), and the state after it: what lies after that step
  // is cut off, a former change of this kind at the same step is replaced. Player::change makes
  // both.
  void change(const Change& change, const Snapshot& after);
  // Ends at a state that it has gone through, after the changes made there: what lies after it is
  // cut off.
  void cut(const Snapshot& last);

 private:
  bool changed_at(long long step) const;
  void settle();
  void thin();

  SharedRows rows_;  // snapshots, all but the last state
  Snapshot last_;
  std::shared_ptr<const std::vector<Change>> changes_;
  size_t capacity_;  // rows
  long long stride_ = 1;
};

}  // namespace torsor
