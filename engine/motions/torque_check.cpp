#include "torsor/motions/torque_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "torsor/base/error.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/motions/motion_torque.hpp"

namespace torsor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Up to refined_maxima local maxima of each value are refined, each with this number of passes.
constexpr size_t refined_maxima = 4;
constexpr int refinement_passes = 9, refinement_points = 20;

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
        values_(2 * tau_.size() + 1) {
    out_.dofs.resize(tau_.size());
    for (int k = 0; k < model_.n_v; ++k) {
      TorqueUse& use = out_.dofs[size_t(k)];
      use.limit = torque_.is_driven(k) ? model_.joint_of_dof(k).effort_limit : infinity;
      use.exceeded_from = use.exceeded_to = NAN;
    }
  }

  // Compares the motion at a time. Returns what the check maximises, [2 n_v + 1]: |tau| and the use
  // of each dof, and the negative of the largest x. The result is valid until the next call.
  const std::vector<double>& at(double t) {
    evaluate(t);
    for (const double v : reference_.v) fastest_ = std::max(fastest_, std::abs(v));
    // A joint or shaft at rest has the friction of the motion after t, and at the end of the motion
    // that of the motion before.
    for (size_t k = 0; k < then_.size(); ++k)
      then_[k] = t < trajectory_.duration() ? reference_.vdot[k] : -reference_.vdot[k];
    const TorqueParts& parts = torque_.at(reference_.q, reference_.v, reference_.vdot, then_);
    for (size_t k = 0; k < tau_.size(); ++k)
      tau_[k] = parts.dynamic[k] + parts.viscous[k] + parts.constant[k];
    torque_.transmissions().motor_torques(tau_, motor_tau_);
    std::ranges::fill(values_, 0.0);
    x_ = infinity;
    for (int k = 0; k < model_.n_v; ++k) compare_joint(k, t, parts);
    for (const LimitedLoad& load : torque_.loads()) {
      const double c2 = load.dynamic, c1 = load.viscous, c0 = load.constant;
      add(load.dof, t, std::abs(c2 + c1 + c0) / load.limit, {c0 - load.limit, c1, c2});
      add(load.dof, t, 0, {-c0 - load.limit, -c1, -c2});
    }
    for (size_t k = 0; k < tau_.size(); ++k) keep_use(t, use(int(k)), out_.dofs[k]);
    values_.back() = -x_;
    return values_;
  }
  size_t n_values() const { return values_.size(); }

  // Throws Error if a velocity jumps at a break within the motion by more than rounding.
  void require_continuous_velocity() {
    constexpr double rounding = 1e-6;
    for (const double t : trajectory_.breaks()) {
      if (!(t > 0 && t < trajectory_.duration())) continue;
      evaluate(std::nextafter(t, 0.0));
      const std::vector<double> before = reference_.v;
      evaluate(t);
      for (size_t k = 0; k < before.size(); ++k)
        if (const double jump = reference_.v[k] - before[k]; std::abs(jump) > rounding * fastest_)
          throw Error(fmt::format(
              "the velocity of joint '{}' jumps by {:.4g} {} at t = {:.6g} s, which needs an "
              "infinite torque; use a trajectory whose velocity is continuous",
              model_.joint_of_dof(int(k)).name, jump, model_.dof(int(k)).turns() ? "rad/s" : "m/s",
              t));
    }
  }
  TorqueCheck result() {
    out_.scale = out_.dof < 0 ? 0 : largest_x_ == 0 ? infinity : 1 / largest_x_;
    return out_;
  }

 private:
  void evaluate(double t) {
    if (const Status status = trajectory_.evaluate(t, reference_); !status)
      throw Error(trajectory_.explain(status));
  }
  double& use(int dof) { return values_[tau_.size() + size_t(dof)]; }

  // Adds a limit of a dof: the used fraction of it, and the condition that it is met.
  void add(int dof, double t, double fraction, const Condition& condition) {
    out_.dofs[size_t(dof)].is_limited = true;
    use(dof) = std::max(use(dof), fraction);
    const double x = largest(condition);
    x_ = std::min(x_, x);
    if (x < largest_x_) largest_x_ = x, out_.dof = dof, out_.time = t;
  }

  // Equations: KHALIL 9.1.
  void compare_joint(int dof, double t, const TorqueParts& parts) {
    const size_t k = size_t(dof);
    const double tau = tau_[k];
    TorqueUse& out = out_.dofs[k];
    values_[k] = std::abs(tau);
    if (std::abs(tau) > out.peak) out.peak = std::abs(tau), out.peak_time = t;
    const double v = std::abs(reference_.v[k]), v_max = torque_.velocity_limit(dof, v),
                 stall = model_.drives[k].motor.stall_torque;
    if (std::isfinite(v_max)) add(dof, t, v > 0 ? v / v_max : 0, {-v_max, v, 0});
    if (!torque_.is_driven(dof)) return;
    out.motor_peak = std::max(out.motor_peak, std::abs(motor_tau_[k]));
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
  std::vector<double> tau_, motor_tau_, then_, values_;
  TorqueCheck out_;
  double x_ = infinity;          // the largest x at the last time
  double largest_x_ = infinity;  // at all times
  double fastest_ = 0;           // largest |v|
};

// The largest local maxima of a series.
class Maxima {
 public:
  struct Point {
    size_t index;
    double value;
  };

  void add(double value) {
    add_last(value);
    before_ = last_;
    last_ = value;
    ++count_;
  }
  // Returns the largest maxima. No value may be added afterwards.
  std::span<const Point> largest() {
    add_last(-infinity);
    return points_;
  }

 private:
  // Keeps the last value if it is a maximum and among the largest.
  void add_last(double next) {
    if (!(last_ > before_ && last_ >= next)) return;
    const auto place =
        std::ranges::find_if(points_, [&](const Point& point) { return point.value < last_; });
    points_.insert(place, {count_ - 1, last_});
    if (points_.size() > refined_maxima) points_.pop_back();
  }

  std::vector<Point> points_;  // descending
  double before_ = -infinity, last_ = -infinity;
  size_t count_ = 0;
};

// Samples between the neighbours of a maximum with distances that shrink until the maximum is exact
// to rounding. times: those of the samples, ascending. column: index of the values of Check::at().
void refine(Check& check, std::span<const double> times, Maxima::Point maximum, size_t column) {
  double best = maximum.value, at = times[maximum.index];
  // The two samples at a break are one point.
  const auto is_break = [&](size_t k) {
    return std::nextafter(times[k], infinity) >= times[k + 1];
  };
  const size_t end = times.size() - 1;
  size_t first = maximum.index, last = maximum.index;
  if (first > 0 && is_break(first - 1)) --first;
  if (last < end && is_break(last)) ++last;
  double from = times[first > 0 ? first - 1 : 0], to = times[std::min(last + 1, end)];
  for (int pass = 0; pass < refinement_passes; ++pass) {
    const double step = (to - from) / refinement_points;
    for (int k = 1; k < refinement_points; ++k)
      if (const double t = from + k * step, value = check.at(t)[column]; value > best)
        best = value, at = t;
    from = std::max(from, at - step);
    to = std::min(to, at + step);
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

double check_evaluations(const DesiredMotion& trajectory, int samples) {
  const double maxima = double(refined_maxima) * (2 * trajectory.model().n_v + 1);
  return samples + 2.0 * double(trajectory.breaks().size()) +
         maxima * refinement_passes * refinement_points;
}

TorqueCheck check_torques(const DesiredMotion& trajectory, Solver& solver,
                          const Vec3<double>& gravity_W, int samples) {
  if (trajectory.of_frame())
    throw Error("the trajectory moves a frame; torques need a motion of the joints");
  if (trajectory.order() < 2) throw Error("the trajectory has no acceleration, which torques need");
  if (!std::isfinite(trajectory.duration()))
    throw Error("the trajectory never ends; torques need a motion with a duration");
  Check check(trajectory, solver, gravity_W);
  const std::vector<double> times = sample_times(trajectory, samples);
  std::vector<Maxima> maxima(check.n_values());
  for (const double t : times) {
    const std::vector<double>& values = check.at(t);
    for (size_t k = 0; k < values.size(); ++k) maxima[k].add(values[k]);
  }
  check.require_continuous_velocity();
  for (size_t k = 0; k < maxima.size(); ++k)
    for (const Maxima::Point& maximum : maxima[k].largest()) refine(check, times, maximum, k);
  return check.result();
}

}  // namespace torsor
