// Newton's method in the metric of M: with the errors phi of the rows, the step
//   dq = -M^-1 J^T (J M^-1 J^T)^-1 phi
// is the smallest one, dq^T M dq, that removes phi to first order. Held dof and dof at their limits
// add rows of their own. A step that does not reduce the largest error is halved. If no step does,
// the search begins again nearby.

#include "torsor/constraints/loops/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "torsor/base/error.hpp"
#include "torsor/base/random.hpp"
#include "torsor/constraints/independent_rows.hpp"

namespace torsor {

namespace {

// A required change of one dof.
struct Required {
  int dof;
  double change;
};

// Returns the least change d [n_v] in the metric of M with J d = wanted and the required changes,
// in the sense of least squares. The required changes are exact, even if the rows contradict them.
Eigen::VectorXd least_change(const Eigen::MatrixXd& J, const Eigen::VectorXd& wanted,
                             std::span<const Required> required, const Eigen::MatrixXd& M_inverse) {
  const Eigen::Index m = J.rows(), n = J.cols(), own = Eigen::Index(required.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(m + own, n);
  Eigen::VectorXd values(m + own);
  rows.topRows(m) = J;
  values.head(m) = wanted;
  for (Eigen::Index k = 0; k < own; ++k) {
    rows(m + k, required[size_t(k)].dof) = 1;
    values[m + k] = required[size_t(k)].change;
  }
  const Eigen::MatrixXd Y = M_inverse * rows.transpose();
  Eigen::VectorXd d = Y * least_norm_solution(rows * Y, values);
  for (const auto& [dof, change] : required) d[dof] = change;
  return d;
}

// Returns the dof that a change d of q moves beyond a position limit, with the change that reaches
// the limit; nullopt if there is none.
std::optional<Required> limit_reached(const Model& model, std::span<const double> q,
                                      const Eigen::VectorXd& d, std::span<const char> fixed) {
  for (int dof = 0; dof < model.n_v; ++dof) {
    const int coordinate = model.coordinate[size_t(dof)];
    const Joint& joint = model.joint_of_dof(dof);
    if (coordinate < 0 || fixed[size_t(dof)] || traits(joint.kind).n_v != 1) continue;
    const double at = q[size_t(coordinate)];
    const double lower = std::min(joint.lower, at) - at, upper = std::max(joint.upper, at) - at;
    if (d(dof) < lower) return Required{dof, lower};
    if (d(dof) > upper) return Required{dof, upper};
  }
  return std::nullopt;
}

std::vector<char> flags(std::span<const char> held, const Model& model) {
  std::vector<char> out(held.begin(), held.end());
  out.resize(size_t(model.n_v));
  return out;
}

class Search {
 public:
  Search(State& state, std::span<const char> held, Solver& solver)
      : state_(state),
        model_(state.model()),
        held_(flags(held, model_)),
        solver_(solver),
        rows_(model_) {
    rows_.evaluate(state_);
  }

  void run() {
    search();
    if (is_open()) leave_stationary_point();
    if (is_open()) fail();
    follow();
  }

 private:
  bool is_open() const { return !(error() < largest_loop_error); }

  void search() {
    constexpr int most_iterations = 300;
    for (int k = 0; k < most_iterations && !is_closed(); ++k)
      if (!take_step()) break;
  }

  // Searches again from positions near the present one, where no step reduces the error. If links
  // are in one line, for example, the gradient of the error is zero, but the error is no minimum
  // there. From a minimum, these searches return to it. The position is then that of the first
  // search, which the message describes. The changes are the same in each call.
  void leave_stationary_point() {
    constexpr int most_tries = 3;
    constexpr double size = 0.01;  // rad or m
    const std::vector<double> q(state_.q().begin(), state_.q().end());
    const std::vector<int> at_limit = at_limit_;
    std::vector<double> next(q);
    Random random(1);
    for (int k = 0; k < most_tries; ++k) {
      Eigen::VectorXd d(model_.n_v);
      for (int dof = 0; dof < model_.n_v; ++dof)
        d[dof] = held_[size_t(dof)] ? 0 : random.uniform(-size, size);
      while (const auto reached = limit_reached(model_, q, d, held_))
        d[reached->dof] = reached->change;
      integrate(model_, q.data(), d.data(), 1, next.data());
      state_.set_q(next);
      rows_.evaluate(state_);
      search();
      if (!is_open()) return;
    }
    state_.set_q(q);
    rows_.evaluate(state_);
    at_limit_ = at_limit;
  }

  double error() const { return rows_.size() == 0 ? 0 : rows_.error().cwiseAbs().maxCoeff(); }
  // Returns whether all errors are rounding errors.
  bool is_closed() const {
    return (rows_.error().cwiseAbs().array() <= rows_.rounding().array()).all();
  }

  // Returns the change of q that closes the loops to first order, within the limits.
  Eigen::VectorXd step() {
    M_inverse_ = inverse_mass(solver_, state_);
    std::vector<Required> required;
    std::vector<char> fixed = held_;
    at_limit_.clear();
    for (int dof = 0; dof < model_.n_v; ++dof)
      if (held_[size_t(dof)]) required.push_back({dof, 0});
    for (;;) {
      Eigen::VectorXd d = least_change(rows_.jacobian(), -rows_.error(), required, M_inverse_);
      const auto reached = limit_reached(model_, state_.q(), d, fixed);
      if (!reached) return d;
      required.push_back(*reached);
      fixed[size_t(reached->dof)] = 1;
      at_limit_.push_back(reached->dof);
    }
  }

  // Returns false if no part of the step reduces the error. The state is then unchanged.
  bool take_step() {
    constexpr double largest_step = 0.3;  // rad or m
    Eigen::VectorXd d = step();
    const double size = d.cwiseAbs().maxCoeff(), before = error();
    if (size > largest_step) d *= largest_step / size;
    const std::vector<double> q(state_.q().begin(), state_.q().end());
    std::vector<double> next(q);
    for (double part = 1; part > 1e-3; part /= 2) {
      integrate(model_, q.data(), d.data(), part, next.data());
      state_.set_q(next);
      rows_.evaluate(state_);
      if (error() < before) return true;
    }
    state_.set_q(q);
    rows_.evaluate(state_);
    return false;
  }

  // Removes the rounding errors of mimic joints that are not held.
  void follow() {
    for (const Mimicry& mimic : model_.mimics)
      if (held_[size_t(mimic.dof)]) return;
    std::vector<double> q(state_.q().begin(), state_.q().end()), v = state_.v;
    follow_mimics(model_, q, v);
    state_.set_q(q);
  }

  [[noreturn]] void fail() const {
    std::string limits, held;
    for (const int dof : at_limit_) add_joint(dof, limits);
    for (int dof = 0; dof < model_.n_v; ++dof)
      if (held_[size_t(dof)]) add_joint(dof, held);
    if (!limits.empty()) limits = "; at their position limits: " + limits;
    throw Error(fmt::format(
        "the loops cannot be closed from the start position: {}{}{}; give a start position nearer "
        "to a closed one, {}or check the lengths of the links",
        rows_.describe_error(*rows_.worst_group()), limits, held.empty() ? "" : "; held: " + held,
        held.empty() ? "" : "hold fewer joints, "));
  }
  // Adds the joint of a dof to a list, unless it is its last entry.
  void add_joint(int dof, std::string& list) const {
    const std::string name = fmt::format("'{}'", model_.joint_of_dof(dof).name);
    if (!list.ends_with(name)) list += (list.empty() ? "" : ", ") + name;
  }

  State& state_;
  const Model& model_;
  std::vector<char> held_;
  Solver& solver_;
  ConstraintRows rows_;
  Eigen::MatrixXd M_inverse_;
  std::vector<int> at_limit_;
};

}  // namespace

Eigen::MatrixXd inverse_mass(Solver& solver, const State& state) {
  const int n = state.model().n_v;
  Eigen::MatrixXd out(n, n);  // symmetric, so that the order of rows and columns does not matter
  if (const Status status = solver.inverse_mass_matrix(state, out.data()); !status)
    throw Error(solver.explain(status));
  return out;
}

void assemble_position(State& state, std::span<const char> held, Solver& solver) {
  if (state.model().closures.empty() && state.model().mimics.empty()) return;
  Search(state, held, solver).run();
}

void assemble_velocity(State& state, std::span<const char> held, Solver& solver) {
  const Model& model = state.model();
  ConstraintRows rows(model);
  if (rows.size() == 0) return;
  rows.evaluate(state);
  const std::vector<char> fixed = flags(held, model);
  std::vector<Required> required;
  for (int dof = 0; dof < model.n_v; ++dof)
    if (fixed[size_t(dof)]) required.push_back({dof, 0});
  const Eigen::MatrixXd M_inverse = inverse_mass(solver, state);
  Eigen::Map<Eigen::VectorXd> v(state.v.data(), model.n_v);
  v += least_change(rows.jacobian(), -rows.jacobian() * v, required, M_inverse);
  const Eigen::VectorXd left = rows.jacobian() * v;
  Eigen::Index worst = 0;
  if (left.cwiseAbs().maxCoeff(&worst) > largest_loop_error * (1 + v.norm())) {
    const ConstraintGroup& group = rows.group_of(worst);
    throw Error(fmt::format(
        "the given velocities contradict the {} '{}'; give fewer velocities, or hold fewer joints",
        group.is_closure ? "closure" : "mimic joint", group.name));
  }
}

}  // namespace torsor
