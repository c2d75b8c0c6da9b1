#include "torsor/planning/reachable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// p_factor p + z_factor z + constant <= 0
struct HalfPlane {
  double p_factor, z_factor, constant;
};

// Removes the x with factor x + constant > 0.
void cut(RateRange& range, double factor, double constant) {
  if (factor > 0)
    range.most = std::min(range.most, -constant / factor);
  else if (factor < 0)
    range.least = std::max(range.least, -constant / factor);
  else if (constant > 0)
    range.most = -INFINITY;
}

// Returns the p >= 0 for which a z is in all half-planes. Each upper bound of z must be above each
// lower bound (Fourier and Motzkin).
RateRange project(std::span<const HalfPlane> planes) {
  RateRange out{0, INFINITY};
  for (const HalfPlane& upper : planes) {
    if (upper.z_factor == 0) cut(out, upper.p_factor, upper.constant);
    if (!(upper.z_factor > 0)) continue;
    for (const HalfPlane& lower : planes)
      if (lower.z_factor < 0)
        cut(out, upper.p_factor / upper.z_factor - lower.p_factor / lower.z_factor,
            upper.constant / upper.z_factor - lower.constant / lower.z_factor);
  }
  return out;
}

// Returns the greatest z in all half-planes with this p.
double greatest(std::span<const HalfPlane> planes, double p) {
  double out = INFINITY;
  for (const HalfPlane& plane : planes)
    if (plane.z_factor > 0)
      out = std::min(out, -(plane.p_factor * p + plane.constant) / plane.z_factor);
  return out;
}

// a u + b x + c <= 0
struct Bound {
  double a, b, c;
  // Returns the u at which it is met with equality.
  double at(double x) const { return -(b * x + c) / a; }
};

// Returns the x for which a u meets all bounds.
RateRange admissible(std::span<const Bound> bounds) {
  RateRange out{0, INFINITY};
  for (const Bound& upper : bounds) {
    if (upper.a == 0) cut(out, upper.b, upper.c);
    if (!(upper.a > 0)) continue;
    for (const Bound& lower : bounds)
      if (lower.a < 0)
        cut(out, upper.b / upper.a - lower.b / lower.a, upper.c / upper.a - lower.c / lower.a);
  }
  return out;
}

class Passes {
 public:
  // before: the previous solution; empty: viscous friction is neglected.
  Passes(const Model& model, std::span<const PathInterval> intervals,
         std::span<const double> margins, std::span<const IntervalRates> before)
      : model_(model),
        intervals_(intervals),
        margins_(margins),
        before_(before),
        goals_(intervals.size()),
        reachable_(intervals.size()) {}

  std::vector<IntervalRates> solve() {
    for (size_t k = intervals_.size(); k-- > 0;) {
      const PathInterval& interval = intervals_[k];
      goals_[k] = interval.end_set ? *interval.end_set : reachable_[k + 1];
      set_bounds(k);
      restrict(goals_[k], margins_[k] * interval.end.max_rate, end_);
      reachable_[k] = project(half_planes(k));
      restrict(reachable_[k], margins_[k] * interval.start.max_rate, start_);
      require_motion(k);
      if (interval.start_set) start(*interval.start_set, k);
    }
    std::vector<IntervalRates> out;
    for (size_t k = 0; k < intervals_.size(); ++k)
      out.push_back(fastest(k, intervals_[k].start_set ? reachable_[k].most : out.back().z));
    return out;
  }

 private:
  // Restricts x to the rates for which a u exists at a point.
  void restrict(RateRange& range, double max_rate, std::span<const Bound> bounds) const {
    const RateRange within = admissible(bounds);
    range.least = std::max(range.least, within.least);
    range.most = std::min({range.most, within.most, max_rate * max_rate});
  }

  void set_bounds(size_t k) {
    const auto set = [&](const PathPoint& point, double x, std::vector<Bound>& out) {
      out.clear();
      const double chord = x > 0 ? 1 / std::sqrt(x) : 0;
      for (const PathLimit& limit : point.limits)
        out.push_back({limit.u_factor, limit.x_factor + limit.root_factor * chord,
                       limit.constant + 1 - margins_[k]});
    };
    set(intervals_[k].start, before_.empty() ? 0 : before_[k].p, start_);
    set(intervals_[k].end, before_.empty() ? 0 : before_[k].z, end_);
  }
  // Returns whether bound i restricts u in the same direction, with a similar a, at both ends of an
  // interval.
  bool is_regular(size_t i, double h) const {
    const Bound &s = start_[i], &e = end_[i];
    return !constant_ && s.a * e.a > 0 && std::abs(s.a) < 2 * std::abs(e.a) &&
           std::abs(e.a) < 2 * std::abs(s.a) && std::abs(h * s.b) < std::abs(s.a) / 2 &&
           std::abs(h * e.b) < std::abs(e.a) / 2;
  }
  // Returns the half-planes of interval k. Sets start_, end_ and constant_.
  std::span<const HalfPlane> half_planes(size_t k) {
    const double h = intervals_[k].h;
    const std::optional<RateRange>& set = intervals_[k].start_set;
    constant_ = goals_[k].most == 0 || (set && set->most == 0);
    set_bounds(k);
    planes_.clear();
    for (size_t i = 0; i < start_.size(); ++i) {
      const Bound &s = start_[i], &e = end_[i];
      if (is_regular(i, h)) {
        for (size_t j = 0; j < end_.size(); ++j)
          if (is_regular(j, h) && s.a * end_[j].a > 0) add_pair(s, end_[j], h);
      } else {
        planes_.push_back({s.b - s.a / (2 * h), s.a / (2 * h), s.c});
        planes_.push_back({-e.a / (2 * h), e.b + e.a / (2 * h), e.c});
      }
    }
    planes_.push_back({0, -1, goals_[k].least});
    if (std::isfinite(goals_[k].most)) planes_.push_back({0, 1, -goals_[k].most});
    return planes_;
  }
  // Adds z - p <= h (U(p) + U(z)), or >= for lower bounds.
  void add_pair(const Bound& s, const Bound& e, double h) {
    const double sign = s.a > 0 ? 1 : -1;
    planes_.push_back({sign * (h * s.b / s.a - 1), sign * (h * e.b / e.a + 1),
                       sign * h * (s.c / s.a + e.c / e.a)});
  }

  // Returns the range of u at x of the bounds of one end that are regular.
  RateRange range_of_u(const std::vector<Bound>& bounds, double x, double h) const {
    RateRange out{-INFINITY, INFINITY};
    for (size_t i = 0; i < bounds.size(); ++i) {
      if (!is_regular(i, h)) continue;
      double& u = bounds[i].a > 0 ? out.most : out.least;
      u = bounds[i].a > 0 ? std::min(u, bounds[i].at(x)) : std::max(u, bounds[i].at(x));
    }
    return out;
  }
  // Returns the rates of an interval: of the u_0 and u_1 within their ranges, the nearest to their
  // mean.
  IntervalRates rates(double p, double z, double h) const {
    const double mean = (z - p) / (2 * h);
    const RateRange start = range_of_u(start_, p, h), end = range_of_u(end_, z, h);
    const double least = std::max(start.least, 2 * mean - end.most),
                 most = std::min(start.most, 2 * mean - end.least);
    const double u_0 = std::clamp(mean, std::min(least, most), std::max(least, most));
    // x must not become negative within the interval.
    const double stiffness = 2 * (mean - u_0) / h, rate = (std::sqrt(p) + std::sqrt(z)) / h;
    if (stiffness >= rate * rate) return {p, z, mean, mean};
    return {p, z, u_0, 2 * mean - u_0};
  }

  // Throws Error if K_k is empty. Bounds that are equal up to rounding become equal.
  void require_motion(size_t k) {
    RateRange& range = reachable_[k];
    if (range.least <= range.most * (1 + rounding)) {
      range.least = std::min(range.least, range.most);
      return;
    }
    const PathPoint& point = intervals_[k].start;
    const auto worst = std::ranges::max_element(point.limits, {}, &PathLimit::constant);
    std::string why;
    if (worst != point.limits.end() && worst->constant > 0)
      why = fmt::format(" (at rest, joint '{}' uses {:.4g} of its limit)",
                        model_.joint_of_dof(worst->dof).name, worst->constant + 1);
    throw Error(
        fmt::format("no motion within the limits of the joints passes s = {:.6g}{}; increase the "
                    "limits, or change the path",
                    intervals_[k].s, why));
  }

  // Restricts K_k to a set of rates at the start of a motion.
  void start(const RateRange& set, size_t k) {
    RateRange& range = reachable_[k];
    if (set.least > range.most * (1 + rounding) || set.most < range.least * (1 - rounding))
      throw Error(fmt::format(
          "the motion starts at s = {:.6g} with ds/dt = {:.6g}, but the limits of the joints allow "
          "{:.6g} to {:.6g}; change this rate or the limits",
          intervals_[k].s, std::sqrt(set.least), std::sqrt(range.least), std::sqrt(range.most)));
    range = {std::max(range.least, set.least), std::min(range.most, set.most)};
  }

  IntervalRates fastest(size_t k, double p) {
    const double z = std::clamp(greatest(half_planes(k), p), goals_[k].least, goals_[k].most);
    if (std::isinf(z) || std::isinf(p))
      throw Error(
          fmt::format("nothing limits the speed at s = {:.6g}: the joints that move have no "
                      "limits, or the path rests; give the joints 'effort' limits, or remove the "
                      "rest",
                      intervals_[k].s));
    if (p == 0 && z == 0)
      throw Error(fmt::format(
          "the motion cannot leave s = {:.6g}: a joint needs all of its torque to hold its "
          "position; increase its 'effort' limit",
          intervals_[k].s));
    return rates(p, z, intervals_[k].h);
  }

  static constexpr double rounding = 1e-9;  // relative

  const Model& model_;
  std::span<const PathInterval> intervals_;
  std::span<const double> margins_;
  std::span<const IntervalRates> before_;
  std::vector<RateRange> goals_, reachable_;  // [intervals] sets of z and of p
  std::vector<Bound> start_, end_;            // at the ends of the current interval
  bool constant_ = false;                     // u is constant in the current interval
  std::vector<HalfPlane> planes_;
};

// Returns the largest change of x, divided by the largest x.
double change(std::span<const IntervalRates> before, std::span<const IntervalRates> after) {
  double most = 0, difference = 0;
  for (size_t k = 0; k < after.size(); ++k) {
    most = std::max({most, after[k].p, after[k].z});
    difference = std::max(
        {difference, std::abs(after[k].p - before[k].p), std::abs(after[k].z - before[k].z)});
  }
  return difference / most;
}

bool has_root(const PathInterval& interval) {
  return std::ranges::any_of(interval.start.limits,
                             [](const PathLimit& limit) { return limit.root_factor != 0; });
}

// Solves with margins of the intervals. before: a previous solution, or empty.
std::vector<IntervalRates> solve(const Model& model, std::span<const PathInterval> intervals,
                                 std::span<const double> margins,
                                 std::vector<IntervalRates> before) {
  std::vector<IntervalRates> x = Passes(model, intervals, margins, before).solve();
  if (std::ranges::none_of(intervals, has_root)) return x;
  constexpr int most_iterations = 200;
  constexpr double tolerance = 1e-10;
  double last = 1;
  for (int k = 0; k < most_iterations && last > tolerance; ++k) {
    before = std::move(x);
    x = Passes(model, intervals, margins, before).solve();
    last = change(before, x);
  }
  if (last > 1e-6)
    throw Error(
        "the iteration over the speed, which viscous friction needs, does not converge; "
        "use more points");
  return x;
}

// Returns the largest use of a limit between the ends of an interval.
double use_within(const PathInterval& interval, const IntervalRates& rates) {
  double most = 0;
  const size_t n = interval.inner.size();
  for (size_t i = 0; i < n; ++i) {
    const double f = double(i + 1) / double(n + 1), u = rates.u_0 + f * (rates.u_1 - rates.u_0),
                 x = rates.p + f * interval.h * (rates.u_0 + u);
    most = std::max(most, use_of(interval.inner[i], std::max(0.0, x), u).use);
  }
  return most;
}

}  // namespace

LimitUse use_of(const PathPoint& point, double x, double u) {
  const double rate = std::sqrt(x);
  LimitUse out{rate / point.max_rate, point.max_rate_dof};
  for (const PathLimit& limit : point.limits) {
    const double use =
        1 + limit.u_factor * u + limit.x_factor * x + limit.root_factor * rate + limit.constant;
    if (use > out.use || out.dof < 0) out = {use, limit.dof};
  }
  return out;
}

std::vector<IntervalRates> fastest_rates(const Model& model,
                                         std::span<const PathInterval> intervals) {
  std::vector<double> margins(intervals.size(), 1.0);
  std::vector<IntervalRates> x;
  constexpr int most_iterations = 10;
  for (int k = 0; k < most_iterations; ++k) {
    x = solve(model, intervals, margins, std::move(x));
    bool exceeds = false;
    for (size_t i = 0; i < intervals.size(); ++i)
      if (const double use = use_within(intervals[i], x[i]); use > 1 + 1e-12)
        margins[i] /= use, exceeds = true;
    if (!exceeds) break;
  }
  return x;
}

}  // namespace torsor
