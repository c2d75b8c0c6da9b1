#pragma once
// The table of the quantities of `torsor eval`, and their evaluation at one state.

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "torsor/cli/eval/eval_constraints.hpp"
#include "torsor/contact/contact_detector.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::cli {

// The order of the output: indices of the joints, and indices of their dof.
struct EvalOrder {
  std::vector<int> joints, columns;
};

// A state and a solver with which quantities are computed.
struct Evaluation {
  using Json = nlohmann::ordered_json;
  Solver& solver;
  State& state;
  const StateEntry& entry;
  const EvalOrder& order;
  const ConstrainedChoice& choice;
  Json& base;  // base parameters, equal in all states; null until they are computed
  ContactDetector& detector;

  // Returns a quantity that the solver computes, as nested lists. The depth of nesting is the
  // number of indices.
  Json solved(Quantity quantity) const;
  Json velocity_coefficients() const;
  Json solved_split() const;
  using Derivatives = Json (*)(Solver&, const State&, const StateEntry&, std::span<const int>);
  Json derivatives(Derivatives function) const;
  Json constrained(Json (*function)(const ConstrainedState&)) const;
  Json joint_wrenches() const;
  const Json& base_parameters() const;

 private:
  void check(Status status) const;
};

// Numbers of dof, frames, bodies and joints of a model. They determine how many numbers each
// quantity has.
struct EvalSizes {
  size_t n, frames, bodies, joints, rows = 0;  // rows: of mimic joints and closures
  size_t colliders = 0;
};
EvalSizes sizes_of(const Model& model);

// A quantity that `torsor eval` can output.
struct EvalRow {
  const char* name;
  std::function<nlohmann::ordered_json(Evaluation&)> evaluate;
  std::function<size_t(const EvalSizes&)> size;  // returns the count of numbers per state
  bool (*is_offered)(const Solver&) = [](const Solver&) { return true; };
  // Number of time derivatives of vdot (jerk, snap, ..) that the state must contain
  size_t needs_rates = 0;
  bool on_request_only = false;
  bool of_closed_mechanism = false;  // true: only offered for closed mechanisms
  bool knows_closures = of_closed_mechanism;
};
inline constexpr std::string_view rates_name = "inverse_dynamics_rates";

// Returns the rows of the quantities that a solver computes, followed by the rows of the other
// quantities.
const std::vector<EvalRow>& eval_rows();

}  // namespace torsor::cli
