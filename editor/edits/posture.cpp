#include "editor/edits/posture.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "editor/edits/mobility.hpp"
#include "editor/edits/position.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

namespace {

double size_of(const Model& model) {
  double out = 0;
  for (const Pose<double>& X_PB : model.X_PB0) out = std::max(out, norm(X_PB.p));
  for (const Closure& closure : model.closures)
    out = std::max({out, norm(closure.X_BA.p), norm(closure.X_BB.p)});
  return out > 0 ? out : 1;
}

// A dof at a position limit, and the part of a displacement at which it reaches the limit.
struct LimitReached {
  int dof = -1;
  double part = 1;
};
LimitReached first_limit(const Model& model, std::span<const double> q, const Eigen::VectorXd& d,
                         std::span<const char> fixed) {
  LimitReached out;
  for (int dof = 0; dof < model.n_v; ++dof) {
    const int coordinate = model.coordinate[size_t(dof)];
    const Joint& joint = model.joint_of_dof(dof);
    if (coordinate < 0 || fixed[size_t(dof)] || traits(joint.kind).n_v != 1) continue;
    const double at = q[size_t(coordinate)], room = (d[dof] > 0 ? joint.upper : joint.lower) - at;
    // A position beyond its limit may move back.
    const double part = d[dof] * room <= 0 ? 0 : room / d[dof];
    if (d[dof] != 0 && part < out.part) out = {dof, part};
  }
  return out;
}

// Returns the names of the joints that are at a position limit, within 1 % of their range.
std::string joints_at_limits(const Model& model, std::span<const double> q) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) {
    if (traits(joint.kind).n_v != 1) continue;
    const double at = q[size_t(joint.q_index)], near = 0.01 * (joint.upper - joint.lower);
    if (std::isfinite(near) && std::min(at - joint.lower, joint.upper - at) < near)
      names.push_back(fmt::format("'{}'", joint.name));
  }
  return names.empty() ? ""
                       : fmt::format("; near their position limits: {}", fmt::join(names, ", "));
}

}  // namespace

PostureSolver::PostureSolver(std::shared_ptr<const Model> model, const SolverFactory& make_solver)
    : model_(std::move(model)),
      solver_(make_solver(model_)),
      closer_(model_, make_solver, Integrator::rk4, 1e-3),
      size_(size_of(*model_)) {}

// Closes the loops at q. Returns false if no closed position is found; q is then unchanged.
bool PostureSolver::close(std::vector<double>& q, std::span<const char> held) {
  std::vector<double> closed = q, rest(size_t(model_->n_v));
  follow_mimics(*model_, closed, rest);
  try {
    closer_.set_state(closed, rest, held);
  } catch (const Error&) {
    return false;
  }
  q = closer_.snapshot().q;
  return true;
}

Posture PostureSolver::set_position(const Simulation& run, int place, double value) {
  constexpr double longest_turn = 0.1, longest_slide = 0.05;  // rad; relative to the size
  const Position what = positions(*model_)[size_t(place)];
  const Joint& joint = model_->joint_of_dof(place);
  Posture out{{run.state().q().begin(), run.state().q().end()}, ""};
  const double from = position(*model_, out.q, place);
  const double longest = what.unit == "rad" ? longest_turn : longest_slide * size_;
  const auto sweep = [&](std::span<const char> held) {
    double done = 0, step = 1 / std::max(1.0, std::ceil(std::abs(value - from) / longest));
    const double least = step / 64;
    while (done < 1 && step >= least) {
      const double next = done + step < 1 - 1e-9 ? done + step : 1;
      std::vector<double> q = out.q;
      editor::set_position(*model_, q, place, std::lerp(from, value, next));
      if (!close(q, held)) {
        step /= 2;
        continue;
      }
      out.q = std::move(q);
      done = next;
    }
    return done;
  };
  std::vector<char> held = prescribed_dof(run);
  const std::vector<char> prescribed = held;
  std::fill_n(held.begin() + joint.v_index, traits(joint.kind).n_v, char(1));
  double done = sweep(held);
  if (done == 0 && traits(joint.kind).n_v > 1) done = sweep(prescribed);
  if (done < 1)
    out.obstacle = fmt::format(
        "{} stops at {:.4g} {}: the loops cannot be closed beyond it{}; move another joint, or "
        "change the lengths of the links",
        what.name, position(*model_, out.q, place), what.unit, joints_at_limits(*model_, out.q));
  return out;
}

std::vector<double> PostureSolver::set_velocity(const Simulation& run, int dof, double value) {
  std::vector<double> q(run.state().q().begin(), run.state().q().end()), v = run.state().v;
  v.at(size_t(dof)) = value;
  follow_mimics(*model_, q, v);
  std::vector<char> held = prescribed_dof(run);
  held[size_t(dof)] = 1;
  closer_.set_state(q, v, held);
  return closer_.snapshot().v;
}

// Returns a step of the dof that moves the point by about e. P is in the axes of the world. A dof
// at a position limit that would leave it is held, and the step is computed again.
Eigen::VectorXd PostureSolver::step_towards(const State& state, const Eigen::MatrixXd& P,
                                            const Eigen::Vector3d& e, std::span<const char> held) {
  constexpr double longest = 0.2, farthest = 0.2;  // rad or m; relative to the size
  const Eigen::MatrixXd M_inverse = inverse_mass(solver_, state);
  const double mu = 1e-6 * P.cwiseProduct(P * M_inverse).sum() / 3;
  std::vector<char> fixed(held.begin(), held.end());
  for (;;) {
    const Eigen::MatrixXd W = free_inverse_mass(M_inverse, holonomic_rows(state, fixed));
    const Eigen::Matrix3d A = P * W * P.transpose() + mu * Eigen::Matrix3d::Identity();
    Eigen::VectorXd d = W * (P.transpose() * A.ldlt().solve(e));
    const double size =
        std::max({d.cwiseAbs().maxCoeff() / longest, (P * d).norm() / (farthest * size_), 1.0});
    d /= size;
    const LimitReached reached = first_limit(*model_, state.q(), d, fixed);
    if (reached.part > 1e-3) return reached.part * d;
    fixed[size_t(reached.dof)] = 1;
  }
}

// Makes one step of move_point(). Returns false if the distance no longer decreases.
bool PostureSolver::approach(State& state, const Frame& frame, const Vec3<double>& point_F,
                             const Vec3<double>& target_W, std::span<const char> held) {
  const Pose<double> X_WF = frame_pose(state, frame);
  const Vec3<double> e = target_W - X_WF * point_F;
  const double distance = norm(e);
  if (distance < 1e-9 * size_) return false;
  const Eigen::Matrix3d R =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X_WF.R.m);
  const Eigen::VectorXd d =
      step_towards(state, R * point_jacobian(state, frame, point_F), {e.x, e.y, e.z}, held);
  const std::vector<double> q(state.q().begin(), state.q().end());
  std::vector<double> moved = q;
  for (double part = 1; part > 1e-3; part /= 2) {
    integrate(*model_, q.data(), d.data(), part, moved.data());
    if (!close(moved, held)) continue;
    state.set_q(moved);
    const double next = norm(target_W - frame_pose(state, frame) * point_F);
    if (next < distance) return distance - next > 1e-7 * size_;
  }
  state.set_q(q);
  return false;
}

std::vector<double> PostureSolver::move_point(const Simulation& run, const std::string& frame,
                                              const Vec3<double>& point_F,
                                              const Vec3<double>& target_W) {
  constexpr int most_steps = 60;
  if (!std::isfinite(norm(point_F)) || !std::isfinite(norm(target_W)))
    throw Error(fmt::format("'{}' cannot be moved: the points must be finite", frame));
  const Frame& of = model_->frames[size_t(model_->frame(frame))];
  const std::vector<char> held = prescribed_dof(run);
  State state(model_);
  state.set_q(run.state().q());
  const Eigen::MatrixXd M_inverse = inverse_mass(solver_, state);
  (void)mobility(state, of, point_jacobian(state, of, point_F), M_inverse,
                 free_inverse_mass(M_inverse, holonomic_rows(state, held)),
                 fmt::format("'{}' cannot be moved", frame));
  for (int k = 0; k < most_steps; ++k)
    if (!approach(state, of, point_F, target_W, held)) break;
  return {state.q().begin(), state.q().end()};
}

}  // namespace torsor::editor
