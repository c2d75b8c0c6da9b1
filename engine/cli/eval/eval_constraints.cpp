#include "torsor/cli/eval/eval_constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/cli/eval/eval_derivatives.hpp"
#include "torsor/cli/eval/eval_frames.hpp"
#include "torsor/constraints/closure_wrenches.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

Eigen::VectorXd as_vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(x.size()));
}

Json list_of(const Eigen::VectorXd& x) {
  return std::vector<double>(x.begin(), x.end());
}
Json over_columns(const Eigen::VectorXd& x, std::span<const int> columns) {
  return ordered_vector({x.data(), size_t(x.size())}, columns);
}
// Returns a matrix whose rows are the dof in the order of the output.
Json dof_rows(const Eigen::MatrixXd& A, std::span<const int> columns) {
  Json out = Json::array();
  for (const int dof : columns) out.push_back(list_of(A.row(dof)));
  return out;
}
Json rows_of_matrix(const Eigen::MatrixXd& A) {
  Json out = Json::array();
  for (Eigen::Index row = 0; row < A.rows(); ++row) out.push_back(list_of(A.row(row)));
  return out;
}

std::vector<std::string> dof_names_of(const Model& model, std::span<const int> dofs) {
  const std::vector<std::string> names = model.dof_names();
  std::vector<std::string> out;
  for (const int dof : dofs) out.push_back(names[size_t(dof)]);
  return out;
}

ConstrainedDynamics dynamics_at(const ConstrainedState& at, bool closed = true) {
  ConstrainedDynamics out(at.state.model(), at.choice);
  out.evaluate(at.solver, at.state);
  if (closed) out.require_closed();
  return out;
}

// Adds the multipliers of a motion, the wrenches in the closures and those of the joints.
void add_forces(const ConstrainedDynamics& dynamics, const ConstrainedState& at,
                const ConstrainedDynamics::Motion& motion, Json& out) {
  out["multipliers"] = list_of(motion.multipliers);
  const std::span vdot(motion.vdot.data(), size_t(motion.vdot.size()));
  const auto F_A = dynamics.rows().closure_wrenches(at.state, motion.multipliers);
  const auto wrenches = transmitted_wrenches(at.state, vdot, F_A);
  Json& of_closures = out["wrenches"] = Json::object();
  for (size_t k = 0; k < wrenches.size(); ++k) {
    const auto& [n, f] = wrenches[k];
    of_closures[at.state.model().closures[k].name] = {n.x, n.y, n.z, f.x, f.y, f.z};
  }
  out["joint_wrenches"] =
      joint_wrenches_json(at.state, joint_wrenches(at.state, vdot, F_A), at.joints);
}

Json redundant_json(const ConstrainedDynamics& dynamics) {
  const std::vector<Eigen::Index> redundant = dynamics.motions().redundant_rows(dynamics.rows());
  Json out = Json::object();
  for (size_t k = 0; k < redundant.size(); ++k)
    if (redundant[k] > 0) out[dynamics.rows().groups()[k].name] = redundant[k];
  return out;
}

}  // namespace

ConstrainedChoice read_choice(const ConstraintOptions& options, const Model& model,
                              const std::string& file) {
  if (options.any() && !has_constraints(model))
    throw Error(fmt::format(
        "{}: --independent, --actuated and --assemble apply to robots with closures or mimic "
        "joints; this robot has none",
        file));
  return {options.independent.empty() ? std::vector<int>()
                                      : dofs_named(model, options.independent, "--independent"),
          options.actuated.empty() ? std::vector<int>()
                                   : dofs_named(model, options.actuated, "--actuated")};
}

void assemble_state(Solver& solver, State& state, const ConstrainedChoice& choice) {
  std::vector<char> held(size_t(state.model().n_v), 0);
  for (const int dof : choice.independent) held[size_t(dof)] = 1;
  ConstrainedDynamics::assemble(solver, state, held);
}

Json constraints_json(const ConstrainedState& at) {
  const ConstrainedDynamics dynamics = dynamics_at(at, false);
  const ConstraintRows& rows = dynamics.rows();
  Json names = Json::array(), units = Json::array();
  for (Eigen::Index row = 0; row < rows.size(); ++row) {
    names.push_back(rows.name(row));
    units.push_back(rows.is_distance(row) ? "m" : "rad");
  }
  return {{"rows", names},
          {"units", units},
          {"jacobian", rows_over_columns(rows.jacobian(), at.columns)},
          {"error", list_of(rows.error())},
          {"bias", list_of(rows.bias())},
          {"rank", dynamics.motions().rank()},
          {"mobility", dynamics.motions().mobility()},
          {"redundant", redundant_json(dynamics)},
          {"singular_values", list_of(dynamics.motions().singular_values())},
          {"independent", dof_names_of(at.state.model(), dynamics.independent())},
          {"actuated", dof_names_of(at.state.model(), dynamics.actuated())},
          {"unactuated", dynamics.unactuated_motion()}};
}

Json constrained_forward_json(const ConstrainedState& at) {
  const ConstrainedDynamics dynamics = dynamics_at(at);
  const auto motion = dynamics.forward(as_vector(at.entry.tau));
  Json out{{"vdot", over_columns(motion.vdot, at.columns)}};
  add_forces(dynamics, at, motion, out);
  return out;
}

Json constrained_inverse_json(const ConstrainedState& at) {
  const ConstrainedDynamics dynamics = dynamics_at(at);
  const auto motion = dynamics.inverse(as_vector(at.entry.vdot));
  Json out{{"tau", over_columns(motion.tau, at.columns)},
           {"vdot", over_columns(motion.vdot, at.columns)},
           {"independent", dof_names_of(at.state.model(), dynamics.independent())}};
  add_forces(dynamics, at, motion, out);
  return out;
}

Json closed_joint_wrenches_json(const ConstrainedState& at) {
  return constrained_inverse_json(at).at("joint_wrenches");
}

Json reduced_dynamics_json(const ConstrainedState& at) {
  const ConstrainedDynamics dynamics = dynamics_at(at);
  return {{"independent", dof_names_of(at.state.model(), dynamics.independent())},
          {"M", rows_of_matrix(dynamics.reduced_mass_matrix())},
          {"bias", list_of(dynamics.reduced_bias())},
          {"transfer", dof_rows(dynamics.transfer(), at.columns)},
          {"gamma", over_columns(dynamics.gamma(), at.columns)}};
}

Json constrained_partials_json(const ConstrainedState& at) {
  const ConstrainedDynamics dynamics = dynamics_at(at);
  const auto partials = dynamics.forward_partials(at.solver, as_vector(at.entry.tau));
  const std::vector<int> order(at.columns.begin(), at.columns.end());
  return {{"independent", dof_names_of(at.state.model(), dynamics.independent())},
          {"dvdot_dq", dof_rows(partials.dvdot_dq, at.columns)},
          {"dvdot_dv", dof_rows(partials.dvdot_dv, at.columns)},
          {"dvdot_dtau", rows_of_matrix(partials.dvdot_dtau(order, order))}};
}

MechanismReport describe_mechanism(Solver& solver, std::span<const double> q,
                                   std::span<const char> held) {
  MechanismReport out;
  State state(std::make_shared<const Model>(solver.model()));
  state.set_q(q);
  try {
    ConstrainedDynamics::assemble(solver, state, held);
    ConstrainedDynamics dynamics(state.model());
    dynamics.evaluate(solver, state);
    const ConstrainedMotions& motions = dynamics.motions();
    out.rows = dynamics.rows().size();
    out.rank = motions.rank();
    out.mobility = motions.mobility();
    const std::vector<Eigen::Index> redundant = motions.redundant_rows(dynamics.rows());
    for (size_t k = 0; k < redundant.size(); ++k)
      if (redundant[k] > 0)
        out.redundant.emplace_back(dynamics.rows().groups()[k].name, redundant[k]);
    const Eigen::VectorXd& sigma = motions.singular_values();
    if (out.rank > 0) out.smallest_kept = sigma[out.rank - 1];
    if (out.rank < sigma.size()) out.largest_dropped = sigma[out.rank];
    out.independent = dof_names_of(state.model(), dynamics.independent());
    out.unactuated = dynamics.unactuated_motion();
  } catch (const Error& error) {
    out.failure = error.what();
  }
  return out;
}

std::string mechanism_text(const MechanismReport& report) {
  if (!report.failure.empty()) return fmt::format("loops      {}\n", report.failure);
  std::string out =
      fmt::format("loops      {} conditions of rank {}; mobility {}: {}\n", report.rows,
                  report.rank, report.mobility,
                  report.mobility == 0 ? "no joint can move"
                                       : fmt::format("{}", fmt::join(report.independent, ", ")));
  if (report.rows > report.rank) {
    out += fmt::format("redundant  {} of {} conditions follow from the others",
                       report.rows - report.rank, report.rows);
    for (const auto& [name, count] : report.redundant)
      out += fmt::format("; {} in {}", count, name);
    out += "\n";
  }
  out += fmt::format(
      "singular   the smallest singular value of the conditions is {:.3g}; it is 0 where the "
      "mobility rises\n",
      report.smallest_kept);
  if (!report.unactuated.empty()) out += "actuation  " + report.unactuated + "\n";
  return out +
         "These are the velocities that are possible at this position. The laws below are "
         "those of the tree without its closures.\n";
}

Json mechanism_json(const MechanismReport& report) {
  if (!report.failure.empty()) return {{"failure", report.failure}};
  Json redundant = Json::object();
  for (const auto& [name, count] : report.redundant) redundant[name] = count;
  return {{"conditions", report.rows},
          {"rank", report.rank},
          {"mobility", report.mobility},
          {"independent", report.independent},
          {"redundant", redundant},
          {"smallest_singular_value", report.smallest_kept},
          {"largest_dropped_singular_value", report.largest_dropped},
          {"unactuated", report.unactuated}};
}

}  // namespace torsor::cli
