// Closing the loops of a mechanism, after a step and at the start of a run (motion.hpp).
//
// Newton's method in the metric of M: with the errors phi of the rows, the step
//   dq = -M^-1 J^T (J M^-1 J^T)^-1 phi
// is the smallest one, dq^T M dq, that removes phi to first order. The velocity
//   v+ = v - M^-1 J^T (J M^-1 J^T)^-1 (J v - rate)
// has the least kinetic energy of the difference v+ - v. Any M gives a closed loop, so that M of
// the first iteration is used in all of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

namespace {

// An error in m or rad that a loop may have after a projection that no longer improves it.
constexpr double largest_error = 1e-9;

}  // namespace

// Sets the state and the rows of closures to q and v of a snapshot.
void Motion::set_closures(const Snapshot& at) {
  now().set_q(at.q);
  std::copy(at.v.begin(), at.v.end(), now().v.begin());
  closures_.evaluate(state());
}

// Returns the largest error of a closure among the given rows of always_. `ratio` receives the
// largest error divided by its rounding error.
double Motion::closure_error(std::span<const int> rows, double& ratio) const {
  double out = 0;
  ratio = 0;
  for (const int row : rows) {
    if (size_t(row) < first_closure()) continue;
    const size_t k = size_t(row) - first_closure();
    const double error = std::abs(closures_.error(k));
    out = std::max(out, error);
    ratio = std::max(ratio, error / closures_.rounding(k));
  }
  return out;
}

// Returns a sentence about the closure with the largest error.
std::string Motion::open_loop() const {
  size_t worst = 0;
  for (size_t k = 0; k < closures_.size(); ++k)
    if (std::abs(closures_.error(k)) > std::abs(closures_.error(worst))) worst = k;
  const size_t closure = closures_.closure(worst);
  double distance = 0, angle = 0;
  for (size_t k = 0; k < closures_.size(); ++k)
    if (closures_.closure(k) == closure)
      (closures_.is_distance(k) ? distance : angle) += std::pow(closures_.error(k), 2);
  return fmt::format("the closure '{}' is open by {:.3g} m and {:.3g} rad",
                     model().closures[closure].name, std::sqrt(distance), std::sqrt(angle));
}

Status Motion::project(Snapshot& at, double time) {
  if (closures_.size() == 0) return {};
  constexpr int most_iterations = 10;
  prescribed_.go_to(time);
  set_closures(at);
  const double before = energy(state(), mechanism_, at).sum();
  if (fails(invert_mass_matrix(solver()))) return failure_;
  permanent_.clear();
  permanent_rows_.clear();
  for (const int row : solved_)
    if (size_t(row) < always_.size()) {
      permanent_.push_back(row);
      permanent_rows_.push_back(always_[size_t(row)]);
    }
  const Eigen::Index n = Eigen::Index(permanent_.size());
  free_.resize(n);
  const auto solve = [&] {
    multiply_rows(permanent_rows_);
    factor(G_, factor_);
    factor_.solveInPlace(free_);
  };
  double ratio = 0, error = closure_error(permanent_, ratio);
  for (int k = 0; k < most_iterations && ratio > 1; ++k) {
    for (Eigen::Index r = 0; r < n; ++r) {
      const size_t row = size_t(permanent_[size_t(r)]);
      free_[r] = row < first_closure() ? 0 : closures_.error(row - first_closure());
    }
    solve();
    for (int i = 0; i < mechanism_.n_v; ++i)
      u_[size_t(i)] = given_[size_t(i)] ? 0 : -Y_.row(i).dot(free_);
    integrate(model(), at.q.data(), u_.data(), 1, at.q.data());
    set_closures(at);
    const double next = closure_error(permanent_, ratio);
    if (next > 0.5 * error && next < largest_error) break;  // only rounding errors are left
    error = next;
  }
  if (!(closure_error(permanent_, ratio) < largest_error)) {
    load_failure_ = open_loop() + " after the step; try a smaller dt";
    return {TORSOR_INTERNAL};
  }
  for (Eigen::Index r = 0; r < n; ++r)
    free_[r] =
        along(*permanent_rows_[size_t(r)], at.v.data()) - held_rate(size_t(permanent_[size_t(r)]));
  solve();
  for (int i = 0; i < mechanism_.n_v; ++i) at.v[size_t(i)] -= Y_.row(i).dot(free_);
  prescribed_.write_rates(at.v.data());
  follow_mimics(model(), at.q, at.v);
  set_closures(at);
  at[Work::projection] += energy(state(), mechanism_, at).sum() - before;
  return {};
}

// The forces of all rows have the effect of lambda_, the forces of the selected rows:
//   G force = G_selected lambda_
void Motion::closure_wrenches(std::span<Wrench<double>> out) {
  std::ranges::fill(out, Wrench<double>{});
  if (closures_.size() == 0) return;
  Eigen::VectorXd selected = Eigen::VectorXd::Zero(Eigen::Index(held_.size()));
  for (size_t r = 0; r < solved_.size(); ++r) selected[solved_[r]] = lambda_[Eigen::Index(r)];
  multiply_rows(held_);
  const Eigen::VectorXd force = least_norm_solution(G_, G_ * selected);
  for (size_t k = 0; k < closures_.size(); ++k) {
    Wrench<double>& F = out[closures_.closure(k)];
    F = F + force[Eigen::Index(first_closure() + k)] * closures_.wrench(k);
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const Closure& closure = model().closures[k];
    const Mat3<double> R = frame_pose(state(), {"", closure.body_A, closure.X_BA}).R;
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

// The change d of q with J d = -phi that keeps the fixed dof and the position limits. at_limit
// receives the dof that limits keep.
Eigen::VectorXd Motion::assembly_step(std::span<const char> held, std::span<const double> q,
                                      std::vector<int>& at_limit) {
  std::vector<Row> own;
  std::vector<double> changes;
  std::vector<char> fixed(held.begin(), held.end());
  at_limit.clear();
  own.reserve(size_t(model().n_v));
  for (int dof = 0; dof < model().n_v; ++dof)
    if (held[size_t(dof)] && !given_[size_t(dof)]) own.push_back({{dof, 1}}), changes.push_back(0);
  for (;;) {
    std::vector<const Row*> rows = always_;
    Eigen::VectorXd wanted = Eigen::VectorXd::Zero(Eigen::Index(rows.size() + own.size()));
    for (size_t k = 0; k < closures_.size(); ++k)
      wanted[Eigen::Index(first_closure() + k)] = -closures_.error(k);
    for (size_t k = 0; k < own.size(); ++k) {
      wanted[Eigen::Index(rows.size())] = changes[k];
      rows.push_back(&own[k]);
    }
    multiply_rows(rows);
    Eigen::VectorXd d = Y_.topRows(model().n_v) * least_norm_solution(G_, wanted);
    for (int dof = 0; dof < model().n_v; ++dof)
      if (held[size_t(dof)] || given_[size_t(dof)]) d(dof) = 0;  // also if no d meets all rows
    const auto reached = limit_reached(model(), q, d, fixed);
    if (!reached) return d;
    own.push_back({{reached->dof, 1}});
    changes.push_back(reached->change);
    fixed[size_t(reached->dof)] = 1;
    at_limit.push_back(reached->dof);
  }
}

void Motion::assemble(Snapshot& at, double time, std::span<const char> held) {
  if (closures_.size() == 0) return;
  constexpr int most_iterations = 300;
  constexpr double largest_step = 0.3;  // rad or m
  std::vector<char> all_held(held.begin(), held.end());
  all_held.resize(size_t(model().n_v));
  std::vector<int> all(always_.size()), at_limit;
  std::iota(all.begin(), all.end(), 0);
  prescribed_.go_to(time);
  follow_mimics(model(), at.q, at.v);
  set_closures(at);
  double ratio = 0, error = closure_error(all, ratio);
  for (int k = 0; k < most_iterations && ratio > 1; ++k) {
    if (const Status status = invert_mass_matrix(solver()); !status)
      throw Error(solver().explain(status));
    Eigen::VectorXd d = assembly_step(all_held, at.q, at_limit);
    const double size = d.cwiseAbs().maxCoeff();
    if (size > largest_step) d *= largest_step / size;
    const std::vector<double> q = at.q;
    double next = 0, part = 1;
    for (; part > 1e-3; part /= 2) {
      integrate(model(), q.data(), d.data(), part, at.q.data());
      follow_mimics(model(), at.q, at.v);
      set_closures(at);
      next = closure_error(all, ratio);
      if (next < error) break;
    }
    if (part <= 1e-3) {
      at.q = q;
      set_closures(at);
      break;
    }
    error = next;
  }
  if (!(closure_error(all, ratio) < largest_error)) fail_assembly(at_limit);
  assemble_velocities(at, all_held);
}

// Gives the least change of v with J v = rate. The held dof keep their velocities.
void Motion::assemble_velocities(Snapshot& at, std::span<const char> held) {
  std::vector<Row> own;
  own.reserve(size_t(model().n_v));
  std::vector<const Row*> rows = always_;
  for (int dof = 0; dof < model().n_v; ++dof)
    if (held[size_t(dof)]) {
      own.push_back({{dof, 1}});
      rows.push_back(&own.back());
    }
  if (const Status status = assemble_delassus(rows); !status) throw Error(solver().explain(status));
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(Eigen::Index(rows.size()));
  for (size_t r = 0; r < always_.size(); ++r)
    wanted[Eigen::Index(r)] = held_rate(r) - along(*rows[r], at.v.data());
  const Eigen::VectorXd change = Y_.topRows(model().n_v) * least_norm_solution(G_, wanted);
  for (int i = 0; i < model().n_v; ++i)
    if (!held[size_t(i)]) at.v[size_t(i)] += change[i];
  prescribed_.write_rates(at.v.data());
  follow_mimics(model(), at.q, at.v);
  for (size_t r = first_closure(); r < always_.size(); ++r)
    if (std::abs(along(*always_[r], at.v.data())) >
        largest_error * (1 + Eigen::Map<const Eigen::VectorXd>(at.v.data(), model().n_v).norm()))
      throw Error(fmt::format(
          "the given velocities contradict the closure '{}'; give fewer velocities, or hold fewer "
          "joints",
          model().closures[closures_.closure(r - first_closure())].name));
}

void Motion::fail_assembly(std::span<const int> at_limit) const {
  std::string limits;
  for (const int dof : at_limit)
    limits += fmt::format("{}'{}'", limits.empty() ? "" : ", ", model().joint_of_dof(dof).name);
  if (!limits.empty()) limits = "; at their position limits: " + limits;
  throw Error(fmt::format(
      "the loops cannot be closed from the start position: {}{}; give a start position nearer to a "
      "closed one, hold fewer joints, or check the lengths of the links",
      open_loop(), limits));
}

}  // namespace torsor
