#include "torsor/simulation/loop_assembly.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "torsor/constraints/loops/assembly.hpp"
#include "torsor/simulation/mechanism/energy.hpp"

namespace torsor {

LoopAssembly::LoopAssembly(Motion& motion)
    : motion_(motion), scratch_(motion.model()), u_(size_t(motion.mechanism().n_u)) {
  const std::span<const ConstraintRow> rows = motion.constraints().eliminated();
  if (rows.size() == motion.mechanism().mimics.size()) return;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(Eigen::Index(rows.size()), motion.model().n_v);
  for (size_t r = 0; r < rows.size(); ++r)
    for (const auto& [index, factor] : *rows[r].row) J(Eigen::Index(r), index) += factor;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(least_independent_part);
  solver.compute(J);
  linear_inverse_ = solver.pseudoInverse();
}

// Returns the largest error of the given rows. `ratio` receives the largest error of a closure
// divided by its rounding error.
double LoopAssembly::closure_error(std::span<const ConstraintRow> rows, double& ratio) const {
  double out = 0;
  ratio = 0;
  for (const ConstraintRow& row : rows) {
    const double error = std::abs(*row.error);
    out = std::max(out, error);
    ratio = std::max(ratio, error / *row.rounding);
  }
  return out;
}

// Returns a sentence about the closure with the largest error.
std::string LoopAssembly::open_loop() const {
  const ClosureRows& closures = motion_.closures();
  size_t worst = 0;
  for (size_t k = 0; k < closures.size(); ++k)
    if (std::abs(closures.error(k)) > std::abs(closures.error(worst))) worst = k;
  const size_t closure = closures.closure(worst);
  return describe_gap(motion_.model().closures[closure].name, closures.gaps()[closure]);
}

// Factorises G of the rows at the present state, with the mass matrix that is factorised.
void LoopAssembly::factor(std::span<const ConstraintRow> rows) {
  factor_.compute(motion_.inverse_inertia(), u_.size(), rows);
}

// Sets u_ = M^-1 J^T G^-1 x_, with the G that is factorised.
void LoopAssembly::solve(std::span<const ConstraintRow> rows) {
  factor_.solve(motion_.inverse_inertia(), rows, x_, u_);
}

// Removes the errors of linear closures if they exceed those of rounding.
void LoopAssembly::correct_linear_closures(Snapshot& at) {
  const ActiveConstraints& constraints = motion_.constraints();
  double ratio = 0;
  closure_error(constraints.eliminated(), ratio);
  if (linear_inverse_.size() == 0 || ratio <= 1) return;
  x_.resize(linear_inverse_.cols());
  for (Eigen::Index r = 0; r < x_.size(); ++r) x_[r] = *constraints.eliminated()[size_t(r)].error;
  Eigen::Map<Eigen::VectorXd> change(u_.data(), linear_inverse_.rows());
  change.noalias() = linear_inverse_ * x_;
  for (int i = 0; i < motion_.model().n_v; ++i)
    if (constraints.given()[size_t(i)]) change[i] = 0;
  integrate(motion_.model(), at.q.data(), change.data(), -1, at.q.data());
  motion_.set_bodies(at);
}

// Sets rates_ to the rates of a snapshot, without their part that violates J u = rate.
void LoopAssembly::close_rates(const Snapshot& at, std::span<const ConstraintRow> rows) {
  rates_.assign(at.v.begin(), at.v.end());
  rates_.insert(rates_.end(), at.motor_v.begin(), at.motor_v.end());
  // G is that of a position nearby. Two iterations suffice if it is near; the third one has the
  // exact G.
  constexpr int most_iterations = 3;
  constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
  for (int k = 0; k < most_iterations; ++k) {
    bool closed = true;
    for (size_t r = 0; r < rows.size(); ++r) {
      const ConstraintRow& row = rows[r];
      x_[Eigen::Index(r)] = along(*row.row, rates_.data()) - *row.rate;
      closed =
          closed && std::abs(x_[Eigen::Index(r)]) <=
                        rounding * (terms_along(*row.row, rates_.data()) + std::abs(*row.rate));
    }
    if (closed) return;
    if (k == most_iterations - 1) factor(rows);
    solve(rows);
    for (size_t i = 0; i < rates_.size(); ++i) rates_[i] -= u_[i];
  }
}

Status LoopAssembly::project(Snapshot& at, double time) {
  if (motion_.closures().size() == 0) return {};
  constexpr int most_iterations = 10;
  constexpr double slow = 0.01;  // G is evaluated again if the errors decrease by less
  const Model& model = motion_.model();
  const ActiveConstraints& constraints = motion_.constraints();
  motion_.prescribed().go_to(time);
  motion_.set_bodies(at);
  const double before = energy(motion_.state(), motion_.mechanism(), at, scratch_).sum();
  correct_linear_closures(at);
  if (Status status = motion_.factor_inertia(); !status) return status;
  const std::span<const ConstraintRow> rows = constraints.selected_rows();
  const Eigen::Index n = Eigen::Index(rows.size());
  x_.resize(n);
  double ratio = 0, error = closure_error(rows, ratio);
  factor(rows);
  bool is_present = true;
  for (int k = 0; k < most_iterations && ratio > 1; ++k) {
    for (Eigen::Index r = 0; r < n; ++r) x_[r] = *rows[size_t(r)].error;
    solve(rows);
    for (int i = 0; i < model.n_v; ++i)
      if (constraints.given()[size_t(i)]) u_[size_t(i)] = 0;
    constraints.project(u_.data());
    integrate(model, at.q.data(), u_.data(), -1, at.q.data());
    motion_.set_bodies(at);
    const double next = closure_error(rows, ratio);
    // Only rounding errors do not decrease with the present G.
    if (is_present && next > 0.5 * error && next < largest_loop_error) break;
    is_present = next > slow * error;
    if (is_present) factor(rows);
    error = next;
  }
  // Also the rows that follow from others must hold, up to their rounding errors.
  constexpr double roundings = 4;
  for (const auto& part : {constraints.permanent(), constraints.eliminated()}) {
    const double worst = closure_error(part, ratio);
    if (worst < largest_loop_error || ratio <= roundings) continue;
    return motion_.fail(open_loop() + (motion_.prescribed().rows().empty()
                                           ? " after the step; try a smaller dt"
                                           : " after the step; a prescribed motion may contradict "
                                             "it: change that motion, or try a smaller dt"));
  }
  close_rates(at, rows);
  std::ranges::copy(rates_, u_.begin());
  motion_.prescribed().write_rates(u_.data());
  constraints.project(u_.data());
  std::copy_n(u_.begin(), model.n_v, at.v.begin());
  std::copy(u_.begin() + model.n_v, u_.end(), at.motor_v.begin());
  follow_mimics(model, at.q, at.v);
  motion_.set_bodies(at);
  at[Work::projection] += energy(motion_.state(), motion_.mechanism(), at, scratch_).sum() - before;
  return {};
}

// The forces f of all rows, also of the eliminated ones, have the sum F of all constraint forces:
//   J^T f = F,   G f = J M^-1 F,   G = J M^-1 J^T
// with the M of all dof. If it is singular, because a mimic joint moves no mass, 1 replaces it: f
// is then the least one in another scale.
void LoopAssembly::closure_wrenches(std::span<const double> F, std::span<Wrench<double>> out) {
  const ClosureRows& closures = motion_.closures();
  if (closures.size() == 0) return;
  const ActiveConstraints& constraints = motion_.constraints();
  const std::span<const double> M = motion_.inertia();
  const auto n_u = Eigen::Index(F.size()), n_v = Eigen::Index(motion_.model().n_v);
  Eigen::MatrixXd inertia = Eigen::MatrixXd::Zero(n_u, n_u);
  inertia.topLeftCorner(n_v, n_v) = Eigen::Map<const Eigen::MatrixXd>(M.data(), n_v, n_v);
  for (Eigen::Index m = n_v; m < n_u; ++m)
    inertia(m, m) = motion_.mechanism().motor_inertia[size_t(m - n_v)];
  const size_t n_eliminated = constraints.eliminated().size();
  Eigen::MatrixXd J_T =
      Eigen::MatrixXd::Zero(n_u, Eigen::Index(n_eliminated + constraints.rows().size()));
  Eigen::Index column = 0;
  for (const auto& rows : {constraints.eliminated(), constraints.rows()})
    for (const ConstraintRow& row : rows) push(*row.row, 1, J_T.col(column++).data());
  const Eigen::LLT<Eigen::MatrixXd> factor(inertia);
  const Eigen::MatrixXd Y = factor.info() == Eigen::Success ? factor.solve(J_T) : J_T;
  const Eigen::VectorXd force = least_norm_solution(
      J_T.transpose() * Y, Y.transpose() * Eigen::Map<const Eigen::VectorXd>(F.data(), n_u));
  std::vector<double> of_closures;
  size_t linear = motion_.mechanism().mimics.size(),
         varying = n_eliminated + motion_.prescribed().rows().size();
  for (const ConstraintRow& each : closures.constraint_rows())
    of_closures.push_back(force[Eigen::Index(each.varies ? varying++ : linear++)]);
  closures.write_wrenches(motion_.state(), of_closures, out);
}

void LoopAssembly::assemble(Snapshot& at, double time, std::span<const char> held) {
  const Model& model = motion_.model();
  if (model.closures.empty()) return;
  motion_.prescribed().go_to(time);
  follow_mimics(model, at.q, at.v);
  State state(motion_.model_ptr());
  state.set_q(at.q);
  state.v = at.v;
  std::vector<char> fixed(held.begin(), held.end());
  fixed.resize(size_t(model.n_v));
  for (size_t dof = 0; dof < fixed.size(); ++dof)
    if (motion_.constraints().given()[dof]) fixed[dof] = 1;
  assemble_position(state, fixed, motion_.solver());
  assemble_velocity(state, fixed, motion_.solver());
  at.q.assign(state.q().begin(), state.q().end());
  at.v = state.v;
  motion_.set_bodies(at);
}

}  // namespace torsor
