#include "torsor/constraints/cut_joint.hpp"

#include <cmath>
#include <limits>

#include "torsor/base/linear_algebra.hpp"
#include "torsor/constraints/closure_rows.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

Wrench<double> cut_joint_wrench(const State& state, std::span<const double> vdot,
                                const Closure& closure, const Wrench<double>& weld) {
  const Wrench<double> inertial =
      inverse_transform(closure.X_BA, joint_wrenches(state, vdot)[size_t(closure.body_A)]);
  Wrench<double> F = inertial + weld;
  if (closure.cut->is_A_cut) F = {-F.n, -F.f};
  const Mat3<double> R_WA = frame_pose(state, {"", closure.cut->body_A, closure.cut->X_BA}).R,
                     R_WH = frame_pose(state, {"", closure.body_A, closure.X_BA}).R;
  return {transpose_times(R_WA, R_WH * F.n), transpose_times(R_WA, R_WH * F.f)};
}

namespace {

// Returns the dof of the joint of a closure. A universal joint consists of two joints.
std::vector<int> dofs_of_cut(const Model& model, const Closure& closure) {
  std::vector<int> out;
  const int first = model.joints[size_t(closure.cut->joint)].body, last = closure.body_A;
  for (const int body : {first, last}) {
    if (body == last && !out.empty() && first == last) break;
    for (int k = 0; k < model.v_count[size_t(body)]; ++k)
      out.push_back(model.v_index[size_t(body)] + k);
  }
  return out;
}

// Minimises phi^T phi of a closure by changes of its joint, from the q of the state:
//   d = -(J^T J)^-1 J^T phi, with the columns of J of the joint
// Returns phi^T phi.
double fit(State& state, size_t index, const std::vector<int>& dofs, ClosureRows& rows) {
  const Model& model = state.model();
  const auto n = Eigen::Index(dofs.size());
  std::vector<double> q(state.q().begin(), state.q().end()), step(size_t(model.n_v), 0.0);
  constexpr int most_iterations = 50;
  constexpr double largest_step = 1, rounding = 1e-14;  // rad or m
  double sum = 0;
  for (int k = 0; k < most_iterations; ++k) {
    rows.evaluate(state);
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd g = Eigen::VectorXd::Zero(n), J(n);
    sum = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      if (rows.closure(r) != index) continue;
      J.setZero();
      for (const auto& [dof, factor] : rows.rows()[r])
        for (Eigen::Index i = 0; i < n; ++i)
          if (dofs[size_t(i)] == dof) J(i) = factor;
      H += J * J.transpose();
      g += rows.error(r) * J;
      sum += rows.error(r) * rows.error(r);
    }
    Eigen::VectorXd d = -solve(H, g);
    const double size = d.cwiseAbs().maxCoeff();
    if (!std::isfinite(size) || size < rounding) break;
    if (size > largest_step) d *= largest_step / size;
    for (Eigen::Index i = 0; i < n; ++i) step[size_t(dofs[size_t(i)])] = d(i);
    integrate(model, q.data(), step.data(), 1, q.data());
    state.set_q(q);
  }
  return sum;
}

}  // namespace

// Half a turn from the minimum, the direction towards it is undetermined: there are two starts.
void fit_cut_joint(State& state, size_t index) {
  const Model& model = state.model();
  const std::vector<int> dofs = dofs_of_cut(model, model.closures[index]);
  ClosureRows rows(model);
  const std::vector<double> start(state.q().begin(), state.q().end());
  std::vector<double> best, step(size_t(model.n_v), 0.0), q = start;
  double least = std::numeric_limits<double>::infinity();
  for (const double turned : {0.0, 1.0}) {
    for (const int dof : dofs) step[size_t(dof)] = turned;
    integrate(model, start.data(), step.data(), 1, q.data());
    state.set_q(q);
    const double sum = fit(state, index, dofs, rows);
    if (!(sum < least)) continue;
    least = sum;
    best.assign(state.q().begin(), state.q().end());
  }
  state.set_q(best.empty() ? start : best);
}

}  // namespace torsor
