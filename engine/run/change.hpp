#pragma once
// Changes of a run: of its state, torques, solver, constraint solver, pull and controller
// parameters.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "torsor/simulation/load.hpp"

namespace torsor {

struct StateChange {
  std::vector<double> q, v;
  // Joints, or single dof, that keep their q and v when loops are closed (dofs_named()).
  std::vector<std::string> hold = {};
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

// The id of a constraint solver, and its parameters.
struct ConstraintSolverChoice {
  std::string id = "pivoting";
  std::vector<Parameter> parameters = {};
  bool operator==(const ConstraintSolverChoice&) const = default;
};
struct ConstraintSolverChange {
  ConstraintSolverChoice constraint_solver;
  bool operator==(const ConstraintSolverChange&) const = default;
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
  using What = std::variant<StateChange, TorqueChange, SolverChange, ConstraintSolverChange,
                            PullChange, ParameterChange>;
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

}  // namespace torsor
