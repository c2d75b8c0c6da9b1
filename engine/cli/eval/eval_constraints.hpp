#pragma once
// Quantities of mechanisms with closures and mimic joints, as JSON for `torsor eval`, and the
// description of a mechanism for `torsor inspect`.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "torsor/cli/support/states.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"

namespace torsor::cli {

// The options of `torsor eval` for closed mechanisms.
struct ConstraintOptions {
  std::vector<std::string> independent, actuated;
  bool assemble = false;
  bool any() const { return assemble || !independent.empty() || !actuated.empty(); }
};

inline bool has_constraints(const Model& model) {
  return !model.closures.empty() || !model.mimics.empty();
}
// Reads the names of the options. Throws Error for an unknown name, and for options of a robot
// without closures and mimic joints.
ConstrainedChoice read_choice(const ConstraintOptions& options, const Model& model,
                              const std::string& file);
// Closes the loops of a state. The independent dof keep their values if they are given.
void assemble_state(Solver& solver, State& state, const ConstrainedChoice& choice);

// A closed mechanism at one state.
struct ConstrainedState {
  Solver& solver;
  const State& state;
  const StateEntry& entry;
  const ConstrainedChoice& choice;
  // the model's dof and joints in the order of the output
  std::span<const int> columns, joints;
};
// Return the quantities of `torsor eval` with these names. All except constraints_json throw Error
// if the loops are open.
nlohmann::ordered_json constraints_json(const ConstrainedState& at);
nlohmann::ordered_json constrained_forward_json(const ConstrainedState& at);
nlohmann::ordered_json constrained_inverse_json(const ConstrainedState& at);
nlohmann::ordered_json reduced_dynamics_json(const ConstrainedState& at);
nlohmann::ordered_json constrained_partials_json(const ConstrainedState& at);
// Returns the joint wrenches of constrained_inverse_json().
nlohmann::ordered_json closed_joint_wrenches_json(const ConstrainedState& at);

// The mobility of a mechanism at one position.
struct MechanismReport {
  std::string failure;  // why the mechanism could not be assembled, or ""
  Eigen::Index rows = 0, rank = 0, mobility = 0;
  std::vector<std::pair<std::string, Eigen::Index>> redundant;  // redundant rows of each group
  // The smallest singular value of the independent rows, or 1 without rows, and the largest one of
  // the others, or 0.
  double smallest_kept = 1, largest_dropped = 0;
  std::vector<std::string> independent;
  std::string unactuated;  // a motion that no actuated dof moves, or ""
};
// Assembles the mechanism, starting at q, and describes it there.
MechanismReport describe_mechanism(Solver& solver, std::span<const double> q,
                                   std::span<const char> held);
std::string mechanism_text(const MechanismReport& report);
nlohmann::ordered_json mechanism_json(const MechanismReport& report);

}  // namespace torsor::cli
