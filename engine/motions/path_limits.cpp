#include "torsor/motions/path_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// Returns the largest r in [0, most] with a r^2 + b r + c <= 0, or NaN if there is none.
double largest_within(double a, double b, double c, double most) {
  const double scale = std::abs(a) * most * most + std::abs(b) * most + std::abs(c);
  const bool holds = std::isinf(most) ? a < 0 || (a == 0 && (b < 0 || (b == 0 && c <= 0)))
                                      : (a * most + b) * most + c <= 1e-12 * scale;
  if (holds) return most;
  const double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return NAN;
  const double s = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  double out = NAN;
  for (const double root : {s == 0 ? 0 : c / s, a == 0 ? NAN : s / a})
    if (root >= 0 && root <= most && !(root <= out)) out = root;
  return out;
}

}  // namespace

PathLimits::PathLimits(const Trajectory& path, Solver& solver, const Vec3<double>& gravity_W)
    : path_(path),
      model_(path.model()),
      torque_(path.model_ptr(), solver, gravity_W),
      transmissions_(path.model_ptr()),
      reference_(path.make_reference(2)),
      rest_(size_t(model_.n_v)) {
  if (path.of_frame()) throw Error("the path moves a frame; torques need a motion of the joints");
  if (path.order() < 2) throw Error("the path has no second derivative, which torques need");
  if (!std::isfinite(path.duration())) throw Error("the path never ends; give it a duration");
}

void PathLimits::evaluate(double s, Side side) {
  const double at = side == Side::before ? std::nextafter(s, 0.0) : s;
  if (const Status status = path_.evaluate(at, reference_); !status)
    throw Error(path_.explain(status));
}

PathPoint PathLimits::at(double s, Side side) {
  evaluate(s, side);
  const std::vector<double>& V = reference_.v;
  PathPoint out{V, {}, INFINITY};
  std::vector<double> then = reference_.vdot;
  if (side == Side::before)
    for (double& rate : then) rate = -rate;
  const std::vector<double> m = torque_.at(reference_.q, rest_, V).dynamic;
  const std::vector<LimitedLoad> of_u = torque_.loads();
  const TorqueParts& parts = torque_.at(reference_.q, V, reference_.vdot, then);
  const std::vector<LimitedLoad>& loads = torque_.loads();
  for (size_t i = 0; i < loads.size(); ++i)
    for (const double sign : {1.0, -1.0}) {
      const double f = sign / loads[i].limit;
      out.limits.push_back({f * of_u[i].dynamic, f * loads[i].dynamic, f * loads[i].viscous,
                            f * loads[i].constant - 1, loads[i].dof});
    }
  for (int dof = 0; dof < model_.n_v; ++dof) {
    const size_t k = size_t(dof);
    const double speed = std::abs(V[k]), stall = model_.drives[k].motor.stall_torque,
                 speed_limit = torque_.velocity_limit(dof, V[k]);
    if (stall > 0 && torque_.is_driven(dof)) {
      const double f = (V[k] > 0 || (V[k] == 0 && then[k] > 0) ? 1 : -1) / stall;
      out.limits.push_back({f * m[k], f * parts.dynamic[k],
                            f * parts.viscous[k] + (speed > 0 ? speed / speed_limit : 0),
                            f * parts.constant[k] - 1, dof});
    }
    if (speed > 0 && speed_limit / speed < out.max_rate)
      out.max_rate = speed_limit / speed, out.max_rate_dof = dof;
  }
  return out;
}

// Returns V, and the rates of the shafts per ds/dt.
std::vector<double> PathLimits::rates(double s, Side side) {
  evaluate(s, side);
  const std::vector<double>& V = reference_.v;
  transmissions_.evaluate(reference_.q, V);
  std::vector<double> out = V;
  out.resize(2 * V.size());
  transmissions_.motor_rates(V, std::span(out).subspan(V.size()));
  return out;
}

std::optional<double> PathLimits::reversal(double from, double to) {
  const std::vector<double> start = rates(from, Side::after), end = rates(to, Side::before);
  double largest = 0;
  for (const double rate : start) largest = std::max(largest, std::abs(rate));
  for (size_t k = 0; k < start.size(); ++k) {
    constexpr double rounding = 1e-9;
    if (start[k] * end[k] >= 0 ||
        std::min(std::abs(start[k]), std::abs(end[k])) < rounding * largest)
      continue;
    // Ends at neighbouring numbers.
    while (std::nextafter(from, to) < to) {
      const double middle = from + (to - from) / 2;
      (rates(middle, Side::after)[k] * start[k] > 0 ? from : to) = middle;
    }
    return to;
  }
  return std::nullopt;
}

void PathLimits::require_hold(double s) {
  evaluate(s, Side::after);
  torque_.at(reference_.q, rest_, rest_);
  for (const LimitedLoad& load : torque_.loads())
    if (std::abs(load.constant) > load.limit)
      throw Error(fmt::format(
          "joint '{}' needs {:.6g} {} to rest at s = {:.6g}, and its limit is {:.6g}; increase "
          "'{}', or change the path",
          model_.joint_of_dof(load.dof).name, std::abs(load.constant), load.unit, s, load.limit,
          load.option));
}

// A u exists if no condition with a positive factor of u contradicts one with a negative factor.
// The sum of both without u is a condition on r = sqrt(x). r decreases from one contradiction to
// the next until there is none.
double largest_rate(const PathPoint& point) {
  double r = point.max_rate;
  for (double before = NAN; r != before && !std::isnan(r);) {
    before = r;
    for (const PathLimit& a : point.limits) {
      if (a.u_factor == 0) r = largest_within(a.x_factor, a.root_factor, a.constant, r);
      if (!(a.u_factor > 0)) continue;
      for (const PathLimit& b : point.limits) {
        if (!(b.u_factor < 0)) continue;
        const double f = -a.u_factor / b.u_factor;
        r = largest_within(a.x_factor + f * b.x_factor, a.root_factor + f * b.root_factor,
                           a.constant + f * b.constant, r);
      }
    }
  }
  return r;
}

}  // namespace torsor
