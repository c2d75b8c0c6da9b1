#include "torsor/motions/time_optimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/handles/retimed.hpp"
#include "torsor/motions/reachable.hpp"

namespace torsor {

namespace {

double largest_entry(const std::vector<double>& V) {
  double out = 0;
  for (const double x : V) out = std::max(out, std::abs(x));
  return out;
}

// Returns the ends of all intervals: the breaks of the path, and steps between them that follow a
// quintic law. From rest, ds/dt is proportional to sqrt(s), and so is viscous friction. Its error
// between the points would be O(sqrt(h)) with equal steps of length h.
std::vector<double> grid(const Trajectory& path, int points) {
  const double end = path.duration();
  std::vector<double> breaks{0, end};
  for (const double s : path.breaks()) breaks.push_back(s);
  std::ranges::sort(breaks);
  std::vector<double> out{0};
  for (const double s : breaks) {
    const double from = out.back(), length = s - from;
    if (length <= 1e-9 * end) continue;
    const int least = 10, n = std::max(least, int(std::ceil(points * length / end)));
    for (int k = 1; k < n; ++k) {
      const double x = double(k) / n;
      out.push_back(from + length * x * x * x * (10 - 15 * x + 6 * x * x));
    }
    out.push_back(s);
  }
  return out;
}

class Path {
 public:
  Path(const Trajectory& path, Solver& solver, const Vec3<double>& gravity_W,
       const TimeOptimalOptions& options)
      : limits_(path, solver, gravity_W) {
    const std::vector<double> s = grid(path, options.points);
    for (size_t k = 0; k + 1 < s.size(); ++k) add(s[k], s[k + 1]);
    for (const PathInterval& interval : intervals)
      largest_ = std::max(largest_, largest_entry(interval.start.V));
    if (largest_ == 0)
      throw Error("the path has no length: its start is its end; give a path that moves a joint");
    for (size_t k = 0; k + 1 < intervals.size(); ++k)
      if (std::ranges::binary_search(path.breaks(), intervals[k + 1].s) &&
          !is_continuous(intervals[k].end, intervals[k + 1].start)) {
        intervals[k].end_set = rest_at_end(k);
        intervals[k + 1].start_set = rest_at_start(k + 1);
      }
    set_end(intervals.front().start_set, rest_at_start(0), options.start_rate, 0);
    set_end(intervals.back().end_set, rest_at_end(intervals.size() - 1), options.end_rate,
            path.duration());
  }

  // Halves the intervals that are too long: a limit is exceeded by more than a tolerance, or x
  // falls and rises again in two intervals. The latter happens where the factor a of a condition is
  // small, so that x approaches the condition in less than an interval. Returns whether there are
  // any.
  bool refine(std::span<const IntervalRates> x) {
    constexpr double tolerance = 1e-4, dip = 1.05;
    std::vector<bool> halve(x.size());
    for (size_t k = 0; k < x.size(); ++k) {
      if (use_within(intervals[k], x[k]) > 1 + tolerance) halve[k] = true;
      if (!intervals[k].end_set && x[k].p > dip * x[k].z && x[k + 1].z > dip * x[k].z)
        halve[k] = halve[k + 1] = true;
    }
    const std::vector<PathInterval> before = std::move(intervals);
    intervals.clear();
    for (size_t k = 0; k < before.size(); ++k) {
      if (!halve[k]) {
        intervals.push_back(before[k]);
        continue;
      }
      const double s = before[k].s, middle = s + before[k].h / 2;
      const size_t first = intervals.size();
      add(s, middle);
      add(middle, s + before[k].h);
      intervals[first].start_set = before[k].start_set;
      intervals.back().end_set = before[k].end_set;
    }
    return intervals.size() > before.size();
  }

  std::vector<PathInterval> intervals;

 private:
  // Adds the interval from s to e, in parts between the reversals of joints.
  void add(double s, double e) {
    using enum PathLimits::Side;
    const double h = e - s;
    if (const auto at = limits_.reversal(s, e); at && *at - s > 1e-9 * h && e - *at > 1e-9 * h) {
      add(s, *at);
      return add(*at, e);
    }
    std::vector<PathPoint> inner;
    for (const double part : {0.25, 0.5, 0.75}) inner.push_back(limits_.at(s + part * h, after));
    intervals.push_back({s, h, limits_.at(s, after), limits_.at(e, before), std::move(inner),
                         std::nullopt, std::nullopt});
  }
  bool is_still(const PathPoint& point) const { return largest_entry(point.V) <= 1e-9 * largest_; }
  // Returns whether the robot can pass from one interval to the next without rest.
  bool is_continuous(const PathPoint& before, const PathPoint& after) const {
    if (is_still(before) || is_still(after)) return false;
    for (size_t k = 0; k < before.V.size(); ++k)
      if (std::abs(after.V[k] - before.V[k]) > 1e-6 * largest_) return false;
    return true;
  }
  // Return the x at which the robot is at rest at one end of an interval: all, if dq/ds is zero.
  RateRange rest_at_start(size_t k) const {
    const PathInterval &next = intervals[k], &second = intervals[k + 1];
    return rest(next.s, next.start, next.h, next.end, next.h + second.h, second.end);
  }
  RateRange rest_at_end(size_t k) const {
    const PathInterval &next = intervals[k], &second = intervals[k - 1];
    return rest(next.s + next.h, next.end, next.h, next.start, next.h + second.h, second.start);
  }
  // The next points are at the distances h_1 and h_2 from s. If dq/ds grows faster than linearly
  // with the distance, ds/dt is infinite at s.
  RateRange rest(double s, const PathPoint& point, double h_1, const PathPoint& next, double h_2,
                 const PathPoint& second) const {
    if (!is_still(point)) return {0, 0};
    if (largest_entry(next.V) < largest_entry(second.V) * std::pow(h_1 / h_2, 1.5))
      throw Error(fmt::format(
          "the path has no velocity and no acceleration at s = {:.6g}, so that ds/dt is infinite "
          "there; give the same path with a velocity, for example by 'linear' or 'playback'",
          s));
    return {0, INFINITY};
  }

  void set_end(std::optional<RateRange>& set, const RateRange& at_rest, std::optional<double> rate,
               double s) {
    if (!rate) limits_.require_hold(s);
    set = rate ? RateRange{*rate * *rate, *rate * *rate} : at_rest;
  }

  PathLimits limits_;
  double largest_ = 0;
};

// Returns x and u on the intervals of a path. Intervals in which limits are exceeded between the
// ends are halved. The limits at both ends of an interval are reduced by the excess that remains.
std::vector<IntervalRates> rates_along(Path& path, const Model& model,
                                       const std::function<void()>& working) {
  constexpr int most_refinements = 8, most_iterations = 14;
  std::vector<double> margins;
  std::vector<IntervalRates> x;
  for (int k = 0; k < most_iterations; ++k) {
    margins.resize(path.intervals.size() + 1, 1.0);
    x = fastest_rates(model, path.intervals, margins, working);
    if (k < most_refinements && path.refine(x)) continue;
    std::vector<double> excess(margins.size(), 1.0);
    for (size_t i = 0; i < x.size(); ++i)
      for (const size_t node : {i, i + 1})
        excess[node] = std::max(excess[node], use_within(path.intervals[i], x[i]));
    if (*std::ranges::max_element(excess) <= 1 + 1e-9) break;
    for (size_t node = 0; node < margins.size(); ++node) margins[node] /= excess[node];
  }
  return x;
}

std::vector<TimePiece> pieces_of(std::span<const PathInterval> intervals,
                                 std::span<const IntervalRates> x, double& duration) {
  std::vector<TimePiece> out;
  duration = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const auto& [p, z, u_0, u_1] = x[k];
    const double h = intervals[k].h;
    out.push_back({duration, intervals[k].s, std::sqrt(p), u_0, (u_1 - u_0) / h});
    duration += time_of(out.back(), h, std::sqrt(z));
  }
  return out;
}

std::vector<PhasePoint> phase_of(std::span<const PathInterval> intervals,
                                 std::span<const IntervalRates> x,
                                 std::span<const TimePiece> pieces, double duration) {
  std::vector<PhasePoint> out;
  for (size_t k = 0; k < x.size(); ++k) {
    const PathInterval& interval = intervals[k];
    const int dof = use_of(interval.start, x[k].p, x[k].u_0).dof;
    out.push_back({interval.s, pieces[k].rate, largest_rate(interval.start), pieces[k].t, dof});
    if (interval.end_set)
      out.push_back({interval.s + interval.h, std::sqrt(x[k].z), largest_rate(interval.end),
                     k + 1 < x.size() ? pieces[k + 1].t : duration, dof});
  }
  return out;
}

void require_rate(std::optional<double> rate, const char* name) {
  if (rate && !(*rate >= 0 && std::isfinite(*rate)))
    throw Error(fmt::format("the {} is {}; it must be a finite number, not negative", name, *rate));
}

}  // namespace

TimeOptimal time_optimal(const std::shared_ptr<const Trajectory>& path, Solver& solver,
                         const Vec3<double>& gravity_W, const TimeOptimalOptions& options) {
  require_rate(options.start_rate, "rate at the start");
  require_rate(options.end_rate, "rate at the end");
  Path parts(*path, solver, gravity_W, options);
  const std::vector<IntervalRates> x = rates_along(parts, path->model(), options.working);
  const std::vector<PathInterval>& intervals = parts.intervals;
  double duration = 0;
  std::vector<TimePiece> pieces = pieces_of(intervals, x, duration);
  TimeOptimal out{nullptr, phase_of(intervals, x, pieces, duration)};
  out.motion =
      retimed(path, {std::move(pieces), duration, path->duration(),
                     options.start_rate.value_or(0) == 0, options.end_rate.value_or(0) == 0});
  return out;
}

}  // namespace torsor
