#include "torsor/simulation/loop_assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/constraints/box_lcp.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/mechanism/energy.hpp"

namespace torsor {

namespace {

// An error in m or rad that a loop may have after a projection that no longer improves it.
constexpr double largest_error = 1e-9;

}  // namespace

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
  double distance = 0, angle = 0;
  for (size_t k = 0; k < closures.size(); ++k)
    if (closures.closure(k) == closure)
      (closures.is_distance(k) ? distance : angle) += std::pow(closures.error(k), 2);
  return fmt::format("the closure '{}' is open by {:.3g} m and {:.3g} rad",
                     motion_.model().closures[closure].name, std::sqrt(distance), std::sqrt(angle));
}

// Solves G x = x_ for the given rows with the mass matrix that is factorised.
void LoopAssembly::solve(std::span<const ConstraintRow> rows) {
  delassus_.evaluate(motion_.inverse_inertia(), motion_.rates().size(), rows);
  factor(delassus_.G, factor_);
  factor_.solveInPlace(x_);
}

Status LoopAssembly::project(Snapshot& at, double time) {
  if (motion_.closures().size() == 0) return {};
  constexpr int most_iterations = 10;
  const Model& model = motion_.model();
  const ActiveConstraints& constraints = motion_.constraints();
  motion_.prescribed().go_to(time);
  motion_.set_bodies(at);
  const double before = energy(motion_.state(), motion_.mechanism(), at, scratch_).sum();
  if (Status status = motion_.factor_inertia(); !status) return status;
  rows_.clear();
  for (const int row : constraints.selected()) rows_.push_back(constraints.rows()[size_t(row)]);
  const Eigen::Index n = Eigen::Index(rows_.size());
  x_.resize(n);
  double ratio = 0, error = closure_error(rows_, ratio);
  for (int k = 0; k < most_iterations && ratio > 1; ++k) {
    for (Eigen::Index r = 0; r < n; ++r) x_[r] = *rows_[size_t(r)].error;
    solve(rows_);
    u_.noalias() = delassus_.Y * x_;
    for (int i = 0; i < model.n_v; ++i)
      if (constraints.given()[size_t(i)]) u_[i] = 0;
    constraints.project(u_.data());
    integrate(model, at.q.data(), u_.data(), -1, at.q.data());
    motion_.set_bodies(at);
    const double next = closure_error(rows_, ratio);
    if (next > 0.5 * error && next < largest_error) break;  // only rounding errors are left
    error = next;
  }
  // Also the rows that follow from others must hold.
  if (!(closure_error(constraints.permanent(), ratio) < largest_error))
    return motion_.fail(open_loop() + " after the step; try a smaller dt");
  std::copy(at.v.begin(), at.v.end(), u_.begin());
  std::copy(at.motor_v.begin(), at.motor_v.end(), u_.begin() + model.n_v);
  for (Eigen::Index r = 0; r < n; ++r)
    x_[r] = along(*rows_[size_t(r)].row, u_.data()) - *rows_[size_t(r)].rate;
  solve(rows_);
  u_.noalias() -= delassus_.Y * x_;
  motion_.prescribed().write_rates(u_.data());
  constraints.project(u_.data());
  std::copy_n(u_.begin(), model.n_v, at.v.begin());
  std::copy(u_.begin() + model.n_v, u_.end(), at.motor_v.begin());
  follow_mimics(model, at.q, at.v);
  motion_.set_bodies(at);
  at[Work::projection] += energy(motion_.state(), motion_.mechanism(), at, scratch_).sum() - before;
  return {};
}

void LoopAssembly::closure_wrenches(std::span<Wrench<double>> out) {
  std::ranges::fill(out, Wrench<double>{});
  const ClosureRows& closures = motion_.closures();
  if (closures.size() == 0) return;
  const ActiveConstraints& constraints = motion_.constraints();
  // The forces of all rows have the effect of the multipliers: G force = G multipliers.
  delassus_.evaluate(motion_.inverse_inertia(), motion_.rates().size(), constraints.rows());
  const Eigen::VectorXd force =
      least_norm_solution(delassus_.G, delassus_.G * constraints.multipliers());
  for (size_t k = 0; k < closures.size(); ++k) {
    Wrench<double>& F = out[closures.closure(k)];
    F = F + force[Eigen::Index(first_closure() + k)] * closures.wrench(k);
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const Closure& closure = motion_.model().closures[k];
    const Mat3<double> R = frame_pose(motion_.state(), {"", closure.body_A, closure.X_BA}).R;
    out[k] = {transpose_times(R, out[k].n), transpose_times(R, out[k].f)};
  }
}

namespace {

// Returns the dof that a change d of q moves beyond a position limit, with the change that reaches
// the limit; nullopt if there is none.
struct Reached {
  int dof;
  double change;
};
std::optional<Reached> limit_reached(const Model& model, std::span<const double> q,
                                     const Eigen::VectorXd& d, std::span<const char> fixed) {
  for (int dof = 0; dof < model.n_v; ++dof) {
    const int coordinate = model.coordinate[size_t(dof)];
    const Joint& joint = model.joint_of_dof(dof);
    if (coordinate < 0 || fixed[size_t(dof)] || traits(joint.kind).n_v != 1) continue;
    const double at = q[size_t(coordinate)];
    // A position beyond its limit may stay there.
    const double lower = std::min(joint.lower, at) - at, upper = std::max(joint.upper, at) - at;
    if (d(dof) < lower) return Reached{dof, lower};
    if (d(dof) > upper) return Reached{dof, upper};
  }
  return std::nullopt;
}

}  // namespace

// Returns the change d of q with J d = -phi that keeps the fixed dof and the position limits.
// at_limit receives the dof that limits keep.
Eigen::VectorXd LoopAssembly::assembly_step(std::span<const char> held, std::span<const double> q,
                                            std::vector<int>& at_limit) {
  const Model& model = motion_.model();
  const auto permanent = motion_.constraints().permanent();
  const auto given = motion_.constraints().given();
  std::vector<Row> own;
  std::vector<double> changes;
  std::vector<char> fixed(held.begin(), held.end());
  at_limit.clear();
  own.reserve(size_t(model.n_v));
  for (int dof = 0; dof < model.n_v; ++dof)
    if (held[size_t(dof)] && !given[size_t(dof)]) own.push_back({{dof, 1}}), changes.push_back(0);
  for (;;) {
    std::vector<ConstraintRow> rows(permanent.begin(), permanent.end());
    Eigen::VectorXd wanted = Eigen::VectorXd::Zero(Eigen::Index(rows.size() + own.size()));
    for (size_t r = 0; r < rows.size(); ++r) wanted[Eigen::Index(r)] = -*rows[r].error;
    for (size_t k = 0; k < own.size(); ++k) {
      wanted[Eigen::Index(rows.size())] = changes[k];
      rows.push_back({.row = &own[k]});
    }
    delassus_.evaluate(motion_.inverse_inertia(), motion_.rates().size(), rows);
    Eigen::VectorXd d = delassus_.Y.topRows(model.n_v) * least_norm_solution(delassus_.G, wanted);
    for (int dof = 0; dof < model.n_v; ++dof)
      if (held[size_t(dof)] || given[size_t(dof)]) d(dof) = 0;  // also if no d meets all rows
    const auto reached = limit_reached(model, q, d, fixed);
    if (!reached) return d;
    own.push_back({{reached->dof, 1}});
    changes.push_back(reached->change);
    fixed[size_t(reached->dof)] = 1;
    at_limit.push_back(reached->dof);
  }
}

void LoopAssembly::assemble(Snapshot& at, double time, std::span<const char> held) {
  if (motion_.closures().size() == 0) return;
  constexpr int most_iterations = 300;
  constexpr double largest_step = 0.3;  // rad or m
  const Model& model = motion_.model();
  const auto permanent = motion_.constraints().permanent();
  std::vector<char> all_held(held.begin(), held.end());
  all_held.resize(size_t(model.n_v));
  std::vector<int> at_limit;
  motion_.prescribed().go_to(time);
  follow_mimics(model, at.q, at.v);
  motion_.set_bodies(at);
  double ratio = 0, error = closure_error(permanent, ratio);
  for (int k = 0; k < most_iterations && ratio > 1; ++k) {
    if (const Status status = motion_.factor_inertia(); !status)
      throw Error(motion_.explain(status));
    Eigen::VectorXd d = assembly_step(all_held, at.q, at_limit);
    const double size = d.cwiseAbs().maxCoeff();
    if (size > largest_step) d *= largest_step / size;
    const std::vector<double> q = at.q;
    double next = 0, part = 1;
    for (; part > 1e-3; part /= 2) {
      integrate(model, q.data(), d.data(), part, at.q.data());
      follow_mimics(model, at.q, at.v);
      motion_.set_bodies(at);
      next = closure_error(permanent, ratio);
      if (next < error) break;
    }
    if (part <= 1e-3) {
      at.q = q;
      motion_.set_bodies(at);
      break;
    }
    error = next;
  }
  if (!(closure_error(permanent, ratio) < largest_error)) fail_assembly(at_limit);
  assemble_velocities(at, all_held);
}

// Makes the least change of v with J v = rate. The held dof keep their velocities.
void LoopAssembly::assemble_velocities(Snapshot& at, std::span<const char> held) {
  const Model& model = motion_.model();
  const auto permanent = motion_.constraints().permanent();
  std::vector<Row> own;
  own.reserve(size_t(model.n_v));
  std::vector<ConstraintRow> rows(permanent.begin(), permanent.end());
  for (int dof = 0; dof < model.n_v; ++dof)
    if (held[size_t(dof)]) {
      own.push_back({{dof, 1}});
      rows.push_back({.row = &own.back()});
    }
  if (const Status status = motion_.factor_inertia(); !status) throw Error(motion_.explain(status));
  delassus_.evaluate(motion_.inverse_inertia(), motion_.rates().size(), rows);
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(Eigen::Index(rows.size()));
  for (size_t r = 0; r < permanent.size(); ++r)
    wanted[Eigen::Index(r)] = *rows[r].rate - along(*rows[r].row, at.v.data());
  const Eigen::VectorXd change =
      delassus_.Y.topRows(model.n_v) * least_norm_solution(delassus_.G, wanted);
  for (int i = 0; i < model.n_v; ++i)
    if (!held[size_t(i)]) at.v[size_t(i)] += change[i];
  motion_.prescribed().write_rates(at.v.data());
  follow_mimics(model, at.q, at.v);
  const double speed = Eigen::Map<const Eigen::VectorXd>(at.v.data(), model.n_v).norm();
  for (size_t r = first_closure(); r < permanent.size(); ++r)
    if (std::abs(along(*permanent[r].row, at.v.data())) > largest_error * (1 + speed))
      throw Error(fmt::format(
          "the given velocities contradict the closure '{}'; give fewer velocities, or hold fewer "
          "joints",
          model.closures[motion_.closures().closure(r - first_closure())].name));
}

void LoopAssembly::fail_assembly(std::span<const int> at_limit) const {
  std::string limits;
  for (const int dof : at_limit)
    limits +=
        fmt::format("{}'{}'", limits.empty() ? "" : ", ", motion_.model().joint_of_dof(dof).name);
  if (!limits.empty()) limits = "; at their position limits: " + limits;
  throw Error(fmt::format(
      "the loops cannot be closed from the start position: {}{}; give a start position nearer to a "
      "closed one, hold fewer joints, or check the lengths of the links",
      open_loop(), limits));
}

}  // namespace torsor
