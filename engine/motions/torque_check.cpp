#include "torsor/motions/torque_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "torsor/base/error.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/motions/motion_torque.hpp"

namespace torsor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Along q(t / k), the velocity and the acceleration are those of q(t) divided by k and k^2. With x
// = 1 / k, the torque of a dof is therefore the quadratic function of TorqueParts.
// A condition p[2] x^2 + p[1] x + p[0] <= 0 holds if a limit is met.
using Condition = std::array<double, 3>;

// Returns the largest x for which a condition holds in [0, x]: its smallest positive root. Returns
// 0 if it does not hold at rest.
double largest(const Condition& p) {
  const auto [c, b, a] = p;
  if (c > 0 || (c == 0 && (b > 0 || (b == 0 && a > 0)))) return 0;
  // The roots are c / s and s / a, without a difference of nearly equal numbers.
  const double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return infinity;
  const double s = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  double out = infinity;
  for (const double root : {s == 0 ? 0 : c / s, a == 0 ? 0 : s / a})
    if (root > 0) out = std::min(out, root);
  return out;
}

class Check {
 public:
  Check(const DesiredMotion& trajectory, Solver& solver, const Vec3<double>& gravity_W)
      : trajectory_(trajectory),
        model_(trajectory.model()),
        torque_(trajectory.model_ptr(), solver, gravity_W),
        reference_(trajectory.make_reference(2)),
        tau_(size_t(model_.n_v)),
        motor_tau_(tau_),
        then_(tau_),
        use_(tau_) {
    out_.dofs.resize(tau_.size());
    for (int k = 0; k < model_.n_v; ++k) {
      TorqueUse& use = out_.dofs[size_t(k)];
      use.limit = torque_.is_driven(k) ? model_.joint_of_dof(k).effort_limit : infinity;
      use.exceeded_from = use.exceeded_to = NAN;
    }
  }

  void at(double t) {
    if (const Status status = trajectory_.evaluate(t, reference_); !status)
      throw Error(trajectory_.explain(status));
    // A joint or shaft at rest has the friction of the motion after t, and at the end of the motion
    // that of the motion before.
    for (size_t k = 0; k < then_.size(); ++k)
      then_[k] = t < trajectory_.duration() ? reference_.vdot[k] : -reference_.vdot[k];
    const TorqueParts& parts = torque_.at(reference_.q, reference_.v, reference_.vdot, then_);
    for (size_t k = 0; k < tau_.size(); ++k)
      tau_[k] = parts.dynamic[k] + parts.viscous[k] + parts.constant[k];
    torque_.transmissions().motor_torques(tau_, motor_tau_);
    std::ranges::fill(use_, 0.0);
    for (int k = 0; k < model_.n_v; ++k) compare_joint(k, t, parts);
    for (const LimitedLoad& load : torque_.loads()) {
      const double c2 = load.dynamic, c1 = load.viscous, c0 = load.constant;
      add(load.dof, t, std::abs(c2 + c1 + c0) / load.limit, {c0 - load.limit, c1, c2});
      add(load.dof, t, 0, {-c0 - load.limit, -c1, -c2});
    }
    for (size_t k = 0; k < use_.size(); ++k) keep_use(t, use_[k], out_.dofs[k]);
  }
  const TorqueCheck& found() const { return out_; }
  TorqueCheck result() {
    out_.scale = out_.dof < 0 ? 0 : largest_x_ == 0 ? infinity : 1 / largest_x_;
    return out_;
  }

 private:
  // Adds a limit of a dof: the used fraction of it, and the condition that it is met.
  void add(int dof, double t, double fraction, const Condition& condition) {
    out_.dofs[size_t(dof)].is_limited = true;
    use_[size_t(dof)] = std::max(use_[size_t(dof)], fraction);
    const double x = largest(condition);
    if (x < largest_x_) largest_x_ = x, out_.dof = dof, out_.time = t;
  }

  // Equations: KHALIL 9.1.
  void compare_joint(int dof, double t, const TorqueParts& parts) {
    const size_t k = size_t(dof);
    const double tau = tau_[k];
    TorqueUse& use = out_.dofs[k];
    if (std::abs(tau) > use.peak) use.peak = std::abs(tau), use.peak_time = t;
    if (!torque_.is_driven(dof)) return;
    use.motor_peak = std::max(use.motor_peak, std::abs(motor_tau_[k]));
    const double v = std::abs(reference_.v[k]), v_max = model_.joint_of_dof(dof).velocity_limit,
                 stall = model_.drives[k].motor.stall_torque;
    if (std::isfinite(v_max)) add(dof, t, v / v_max, {-v_max, v, 0});
    if (!(stall > 0 && v > 0)) return;
    const double sign = reference_.v[k] > 0 ? 1 : -1,
                 slope = std::isfinite(v_max) ? stall / v_max : 0;
    const double available = stall - slope * v;
    add(dof, t, available > 0 ? std::max(0.0, sign * tau) / available : infinity,
        {sign * parts.constant[k] - stall, sign * parts.viscous[k] + slope * v,
         sign * parts.dynamic[k]});
  }

  static void keep_use(double t, double now, TorqueUse& use) {
    if (now > use.use) use.use = now, use.use_time = t;
    if (now > 1 + use_rounding) {
      use.exceeded_from = std::fmin(use.exceeded_from, t);
      use.exceeded_to = std::fmax(use.exceeded_to, t);
    }
  }

  const DesiredMotion& trajectory_;
  const Model& model_;
  MotionTorque torque_;
  Reference reference_;
  std::vector<double> tau_, motor_tau_, then_, use_;
  TorqueCheck out_;
  double largest_x_ = infinity;
};

// Samples between the neighbours of an extremum, whose time is time_of(), with distances that
// shrink until the extremum is exact to rounding. times: those of the samples, ascending.
void refine(Check& check, std::span<const double> times, const std::function<double()>& time_of) {
  const auto after = std::ranges::upper_bound(times, time_of());
  double from = after - times.begin() > 1 ? *(after - 2) : times.front(),
         to = after == times.end() ? times.back() : *after;
  constexpr int passes = 9, points = 20;
  for (int pass = 0; pass < passes; ++pass) {
    const double step = (to - from) / points;
    for (int k = 1; k < points; ++k) check.at(from + k * step);
    from = std::max(from, time_of() - step);
    to = std::min(to, time_of() + step);
  }
}

std::vector<double> sample_times(const DesiredMotion& trajectory, int samples) {
  const double T = trajectory.duration();
  std::vector<double> out;
  for (int k = 0; k < samples; ++k) out.push_back(T * k / (samples - 1));
  for (const double t : trajectory.breaks()) {
    if (t > 0) out.push_back(std::nextafter(t, 0.0));
    if (t < T) out.push_back(t);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

TorqueCheck check_torques(const DesiredMotion& trajectory, Solver& solver,
                          const Vec3<double>& gravity_W, int samples) {
  if (trajectory.of_frame())
    throw Error("the trajectory moves a frame; torques need a motion of the joints");
  if (trajectory.order() < 2) throw Error("the trajectory has no acceleration, which torques need");
  if (!std::isfinite(trajectory.duration()))
    throw Error("the trajectory never ends; torques need a motion with a duration");
  Check check(trajectory, solver, gravity_W);
  const std::vector<double> times = sample_times(trajectory, samples);
  for (const double t : times) check.at(t);
  for (const TorqueUse& dof : check.found().dofs) {
    refine(check, times, [&] { return dof.peak_time; });
    if (dof.is_limited) refine(check, times, [&] { return dof.use_time; });
  }
  if (check.found().dof >= 0) refine(check, times, [&] { return check.found().time; });
  return check.result();
}

}  // namespace torsor
