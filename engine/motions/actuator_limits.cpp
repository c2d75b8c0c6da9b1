#include "torsor/motions/actuator_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/model/random_robot.hpp"

namespace torsor {

namespace {

// The inertia of one dof as a function of q, and its maximum.
class LargestInertia {
 public:
  LargestInertia(const std::shared_ptr<const Model>& model, Solver& solver, int dof,
                 const std::function<void(int kernels)>& working)
      : model_(*model),
        solver_(solver),
        state_(model),
        dof_(dof),
        working_(working),
        share_(size_t(model_.n_v)),
        M_(share_.size() * share_.size()) {
    share_[size_t(dof)] = 1;
    for (const Mimicry& mimic : model_.mimics)
      share_[size_t(mimic.dof)] += mimic.ratio * share_[size_t(mimic.of_dof)];
  }

  double find() {
    Random random(1);
    double most = 0;
    constexpr int starts = 8;
    for (int k = 0; k < starts; ++k) most = std::max(most, climb(start(random)));
    return most;
  }

 private:
  struct Range {
    double least, most;  // of the displacement from the current position
  };

  // Returns the sum of M_ij over the dof that move with this one, in proportion to their rates.
  double at(const std::vector<double>& q) {
    std::vector<double> full = q;
    state_.v.assign(share_.size(), 0.0);
    follow_mimics(model_, full, state_.v);
    state_.set_q(full);
    if (const Status status = solver_.mass_matrix(state_, M_.data()); !status)
      throw Error(solver_.explain(status));
    double sum = 0;
    const size_t n = share_.size();
    for (size_t i = 0; i < n; ++i)
      if (share_[i] != 0)
        for (size_t j = 0; j < n; ++j) sum += share_[i] * M_[i * n + j] * share_[j];
    return sum;
  }

  // Returns a random position within the limits.
  std::vector<double> start(Random& random) const {
    std::vector<double> q = random_position(random, model_, M_PI);
    for (const Joint& joint : model_.joints)
      if (std::isfinite(joint.lower) && std::isfinite(joint.upper))
        q[size_t(joint.q_index)] = random.uniform(joint.lower, joint.upper);
    return q;
  }
  std::vector<double> moved(const std::vector<double>& q, int dof, double by) const {
    std::vector<double> step(share_.size()), out(q.size());
    step[size_t(dof)] = by;
    integrate(model_, q.data(), step.data(), 1, out.data());
    return out;
  }

  // Returns the range of a dof, or of one metre if a linear dof has no limits.
  Range range(const std::vector<double>& q, int dof) const {
    const Joint& joint = model_.joint_of_dof(dof);
    const double size = model_.dof(dof).turns() ? M_PI : 0.5;
    Range out{-size, size};
    const int coordinate = model_.coordinate[size_t(dof)];
    if (coordinate < 0) return out;
    if (std::isfinite(joint.lower)) out.least = joint.lower - q[size_t(coordinate)];
    if (std::isfinite(joint.upper)) out.most = joint.upper - q[size_t(coordinate)];
    if (!std::isfinite(joint.lower)) out.least = std::min(out.least, out.most);
    if (!std::isfinite(joint.upper)) out.most = std::max(out.least, out.most);
    return out;
  }
  void require_bounded(int dof) const {
    const Joint& joint = model_.joint_of_dof(dof);
    if (!model_.dof(dof).turns() && !(std::isfinite(joint.lower) && std::isfinite(joint.upper)))
      throw Error(fmt::format(
          "the inertia of joint '{}' grows without bound with the position of joint '{}'; give "
          "joint '{}' position limits",
          model_.joint_of_dof(dof_).name, joint.name, joint.name));
  }

  // Moves q to the maximum along a dof. Returns the inertia there.
  double climb_along(int dof, std::vector<double>& q, double now) {
    const Range whole = range(q, dof);
    constexpr int samples = 24, refined = 60;
    working_(samples + refined);
    const double step = (whole.most - whole.least) / samples;
    double best = 0, most = now, least = now;
    for (int k = 0; k <= samples; ++k) {
      const double by = whole.least + k * step, value = at(moved(q, dof, by));
      least = std::min(least, value);
      if (value > most) best = by, most = value;
    }
    constexpr double rounding = 1e-12;
    if (most - least <= rounding * most) return now;
    require_bounded(dof);
    constexpr double golden = 0.6180339887498949;  // error of A_jj: O(width^2)
    double a = std::max(whole.least, best - step), b = std::min(whole.most, best + step);
    while (b - a > 1e-6 * (whole.most - whole.least)) {
      const double c = b - golden * (b - a), d = a + golden * (b - a);
      if (at(moved(q, dof, c)) < at(moved(q, dof, d)))
        a = c;
      else
        b = d;
    }
    if (const double value = at(moved(q, dof, (a + b) / 2)); value > most)
      best = (a + b) / 2, most = value;
    q = moved(q, dof, best);
    return most;
  }
  double climb(std::vector<double> q) {
    double now = at(q);
    for (double before = 0; now > before * (1 + 1e-12);) {
      before = now;
      for (int dof = 0; dof < model_.n_v; ++dof)
        if (std::ranges::none_of(model_.mimics, [&](const Mimicry& m) { return m.dof == dof; }))
          now = climb_along(dof, q, now);
    }
    return now;
  }

  const Model& model_;
  Solver& solver_;
  State state_;
  int dof_;
  const std::function<void(int kernels)>& working_;
  std::vector<double> share_;  // [n_v] rates of all dof per rate of this one
  std::vector<double> M_;
};

}  // namespace

ActuatorLimits actuator_limits(const std::shared_ptr<const Model>& model, Solver& solver,
                               const std::vector<MotorData>& motors,
                               const std::function<void(int kernels)>& working) {
  const size_t n = size_t(model->n_v);
  ActuatorLimits out{std::vector<double>(n, INFINITY), std::vector<double>(n, INFINITY),
                     std::vector<double>(n)};
  for (size_t k = 0; k < n; ++k) {
    const Drive& drive = model->drives[k];
    const Joint& joint = model->joint_of_dof(int(k));
    const bool follows =
        std::ranges::any_of(model->mimics, [&](const Mimicry& m) { return m.dof == int(k); });
    out.speed[k] = joint.velocity_limit;
    if (drive.passive || follows) continue;
    double torque = joint.effort_limit;
    if (drive.motor.stall_torque > 0) torque = std::min(torque, drive.motor.stall_torque);
    if (!motors.empty()) {
      const double gear = std::abs(drive.motor.gear_ratio);
      out.speed[k] = std::min(out.speed[k], motors[k].speed / gear);
      torque = std::min(torque, motors[k].torque * gear);
    }
    if (std::isinf(torque)) continue;
    out.inertia[k] = LargestInertia(model, solver, int(k), working).find();
    out.acceleration[k] = torque / out.inertia[k];
  }
  return out;
}

}  // namespace torsor
