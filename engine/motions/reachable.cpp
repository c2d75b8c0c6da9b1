#include "torsor/motions/reachable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// x_factor x + y_factor y + constant <= 0
struct HalfPlane {
  double x_factor, y_factor, constant;
  // Returns the y at which it is met with equality.
  double at(double x) const { return -(x_factor * x + constant) / y_factor; }
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

// y <= slope x + height, or y >= slope x + height
struct Line {
  double slope, height;
};
// Adds an upper bound of y, unless another one is below it for all x >= 0.
void add_upper(const Line& line, std::vector<Line>& lines) {
  const auto below = [](const Line& a, const Line& b) {
    return a.slope <= b.slope && a.height <= b.height;
  };
  for (const Line& other : lines)
    if (below(other, line)) return;
  std::erase_if(lines, [&](const Line& other) { return below(line, other); });
  lines.push_back(line);
}

// Eliminates y (Fourier and Motzkin).
class Projection {
 public:
  // Returns the x >= 0 for which a y is in all half-planes: each upper bound of y must be above
  // each lower bound.
  RateRange operator()(std::span<const HalfPlane> planes) {
    RateRange out{0, INFINITY};
    upper_.clear();
    lower_.clear();
    for (const HalfPlane& plane : planes) {
      const Line line{-plane.x_factor / plane.y_factor, -plane.constant / plane.y_factor};
      if (plane.y_factor > 0)
        add_upper(line, upper_);
      else if (plane.y_factor < 0)
        add_upper({-line.slope, -line.height}, lower_);
      else
        cut(out, plane.x_factor, plane.constant);
    }
    for (const Line& upper : upper_)
      for (const Line& lower : lower_)
        cut(out, -lower.slope - upper.slope, -lower.height - upper.height);
    return out;
  }

 private:
  std::vector<Line> upper_, lower_;  // upper bounds of y, and of -y
};

class Passes {
 public:
  // before: the previous solution; empty: viscous friction is neglected. tangents: all square roots
  // are replaced by tangents.
  Passes(const Model& model, std::span<const PathInterval> intervals,
         std::span<const double> margins, std::span<const IntervalRates> before, bool tangents)
      : model_(model),
        intervals_(intervals),
        margins_(margins),
        before_(before),
        tangents_(tangents),
        goals_(intervals.size()),
        reachable_(intervals.size()) {}

  std::vector<IntervalRates> solve() {
    for (size_t k = intervals_.size(); k-- > 0;) {
      const PathInterval& interval = intervals_[k];
      goals_[k] = interval.end_set ? *interval.end_set : reachable_[k + 1];
      set_bounds(k);
      restrict(goals_[k], margins_[k + 1] * interval.end.max_rate, end_);
      if (interval.end_set) require_end(*interval.end_set, k);
      reachable_[k] = project_(half_planes(k));
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
  void restrict(RateRange& range, double max_rate, std::span<const HalfPlane> bounds) {
    const RateRange within = project_(bounds);
    range.least = std::max(range.least, within.least);
    range.most = std::min({range.most, within.most, max_rate * max_rate});
  }

  // Sets start_ and end_ of interval k. sqrt(x) is replaced by chord or tangent, offset + slope x.
  void set_bounds(size_t k) {
    const auto set = [&](const PathPoint& point, double x, double margin,
                         std::vector<HalfPlane>& out) {
      out.clear();
      const double rate = std::sqrt(x), slope = x > 0 ? 1 / rate : 0;
      for (const PathLimit& limit : point.limits) {
        const double d = limit.root_factor;
        const Line root = d > 0 && !tangents_ ? Line{slope, 0} : Line{slope / 2, rate / 2};
        const double b = limit.x_factor + d * root.slope;
        // A bound on z from a small a has the slope 2 h b / a, and the rounding errors of K are
        // multiplied by its square. |u| is at most about x / h, so that a u is small against b x.
        constexpr double small = 1e-4;
        const bool has_a = std::abs(limit.u_factor) > small * intervals_[k].h * std::abs(b);
        out.push_back(
            {b, has_a ? limit.u_factor : 0, limit.constant + 1 - margin + d * root.height});
      }
    };
    set(intervals_[k].start, before_.empty() ? 0 : before_[k].p, margins_[k], start_);
    set(intervals_[k].end, before_.empty() ? 0 : before_[k].z, margins_[k + 1], end_);
  }
  // Returns whether bound i restricts u in the same direction, with a similar a, at both ends of an
  // interval.
  bool is_regular(size_t i, double h) const {
    const auto& [b_0, a_0, c_0] = start_[i];
    const auto& [b_1, a_1, c_1] = end_[i];
    const double large = std::max(std::abs(a_0), std::abs(a_1)),
                 small = std::min(std::abs(a_0), std::abs(a_1));
    return !constant_ && a_0 * a_1 > 0 && large < 2 * small &&
           h * std::max(std::abs(b_0), std::abs(b_1)) < small / 2;
  }
  // Returns the half-planes of (p, z) of interval k. Sets start_, end_ and constant_.
  std::span<const HalfPlane> half_planes(size_t k) {
    const double h = intervals_[k].h;
    const std::optional<RateRange>& set = intervals_[k].start_set;
    constant_ = goals_[k].most == 0 || (set && set->most == 0);
    set_bounds(k);
    planes_.clear();
    for (size_t i = 0; i < start_.size(); ++i) {
      const auto& [b_0, a_0, c_0] = start_[i];
      const auto& [b_1, a_1, c_1] = end_[i];
      if (is_regular(i, h)) {
        for (size_t j = 0; j < end_.size(); ++j)
          if (is_regular(j, h) && a_0 * end_[j].y_factor > 0) add_pair(start_[i], end_[j], h);
      } else {
        planes_.push_back({b_0 - a_0 / (2 * h), a_0 / (2 * h), c_0});
        planes_.push_back({-a_1 / (2 * h), b_1 + a_1 / (2 * h), c_1});
      }
    }
    planes_.push_back({0, -1, goals_[k].least});
    if (std::isfinite(goals_[k].most)) planes_.push_back({0, 1, -goals_[k].most});
    return planes_;
  }
  // Adds z - p <= h (U(p) + U(z)), or >= for lower bounds.
  void add_pair(const HalfPlane& start, const HalfPlane& end, double h) {
    const auto& [b_0, a_0, c_0] = start;
    const auto& [b_1, a_1, c_1] = end;
    const double sign = a_0 > 0 ? 1 : -1;
    planes_.push_back({sign * (h * b_0 / a_0 - 1), sign * (h * b_1 / a_1 + 1),
                       sign * h * (c_0 / a_0 + c_1 / a_1)});
  }

  // Returns the range of u at x of the bounds of one end that are regular.
  RateRange range_of_u(const std::vector<HalfPlane>& bounds, double x, double h) const {
    RateRange out{-INFINITY, INFINITY};
    for (size_t i = 0; i < bounds.size(); ++i) {
      if (!is_regular(i, h)) continue;
      const double u = bounds[i].at(x);
      if (bounds[i].y_factor > 0)
        out.most = std::min(out.most, u);
      else
        out.least = std::max(out.least, u);
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

  // Throws Error if the limits at the end of interval k do not allow the rate that is set there.
  void require_end(const RateRange& set, size_t k) {
    if (set.least == 0 || goals_[k].least <= goals_[k].most * (1 + rounding)) return;
    const PathInterval& interval = intervals_[k];
    RateRange allowed{0, INFINITY};
    restrict(allowed, margins_[k + 1] * interval.end.max_rate, end_);
    throw Error(fmt::format(
        "the motion ends at s = {:.6g} with ds/dt = {:.6g}, but the limits of the joints allow "
        "{:.6g} to {:.6g}; change end_rate or the limits",
        interval.s + interval.h, std::sqrt(set.least), std::sqrt(allowed.least),
        std::sqrt(allowed.most)));
  }

  // Restricts K_k to a set of rates at the start of a motion.
  void start(const RateRange& set, size_t k) {
    RateRange& range = reachable_[k];
    if (set.least > range.most * (1 + rounding) || set.most < range.least * (1 - rounding))
      throw Error(fmt::format(
          "the motion starts at s = {:.6g} with ds/dt = {:.6g}, but the limits of the joints allow "
          "{:.6g} to {:.6g}; change start_rate, end_rate or the limits",
          intervals_[k].s, std::sqrt(set.least), std::sqrt(range.least), std::sqrt(range.most)));
    range = {std::max(range.least, set.least), std::min(range.most, set.most)};
  }

  IntervalRates fastest(size_t k, double p) {
    double z = INFINITY;
    for (const HalfPlane& plane : half_planes(k))
      if (plane.y_factor > 0) z = std::min(z, plane.at(p));
    z = std::clamp(z, goals_[k].least, goals_[k].most);
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
  std::span<const double> margins_;  // [intervals + 1] factors of the limits at the nodes
  std::span<const IntervalRates> before_;
  bool tangents_;
  std::vector<RateRange> goals_, reachable_;  // [intervals] sets of z and of p
  std::vector<HalfPlane> start_, end_;        // of (x, u), at the ends of the current interval
  bool constant_ = false;                     // u is constant in the current interval
  std::vector<HalfPlane> planes_;
  Projection project_;
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

}  // namespace

std::vector<IntervalRates> fastest_rates(const Model& model,
                                         std::span<const PathInterval> intervals,
                                         std::span<const double> margins,
                                         const std::function<void()>& working) {
  working();
  std::vector<IntervalRates> before;
  std::vector<IntervalRates> x = Passes(model, intervals, margins, before, false).solve();
  if (std::ranges::none_of(intervals, has_root)) return x;
  constexpr int most_iterations = 100;
  constexpr double tolerance = 1e-10, near = 0.05;
  double last = 1;
  bool tangents = false;
  for (int k = 0; k < most_iterations && last > tolerance; ++k) {
    working();
    before = std::move(x);
    try {
      x = Passes(model, intervals, margins, before, tangents).solve();
    } catch (const Error&) {
      if (!tangents) throw;
      x = Passes(model, intervals, margins, before, false).solve();
    }
    last = change(before, x);
    tangents = last < near;
  }
  if (last > 1e-6)
    throw Error(
        "the iteration over the speed, which viscous friction needs, does not converge; "
        "use more points");
  return x;
}

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

}  // namespace torsor
