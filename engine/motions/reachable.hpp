#pragma once
// The fastest speeds along a path, by sets of speeds from which its end can be reached (H. Pham and
// Q.-C. Pham, TOPP-RA, 2018).
//
// With a u + b x + c <= 0 for the conditions of path_limits.hpp (without friction), the least bound
// is a range L(x) <= u <= U(x). On an interval of the path of length h, u is linear in s, so that
// x = (ds/dt)^2 is quadratic. With x = p, u = u_0 at its start and x = z, u = u_1 at its end:
//   z - p = h (u_0 + u_1),   L(p) <= u_0 <= U(p),   L(z) <= u_1 <= U(z)
// These are half-planes of (p, z): one for each pair of a bound at the start and one at the end.
// They are exact at both ends, and between them up to O(h^2). Where the factor a of a bound passes
// through zero, u_0 or u_1 alone does not restrict the motion. At rest, sqrt(x) is not smooth. Such
// a bound is required of the mean u = (z - p) / 2h at both ends instead:
//   at the start   (b - a / 2h) p + (a / 2h) z + c <= 0
//   at the end     (-a / 2h) p + (b + a / 2h) z + c <= 0
//
// K_k is the set of x at the start of interval k from which the end of the path can be reached.
// Backwards, K_k consists of the p for which a z in K_{k+1} meets all conditions of interval k: the
// projection of a convex polygon, which is an interval of numbers. Forwards, z is the greatest
// number in K_{k+1} that meets all conditions. A motion whose x is the greatest everywhere is the
// fastest. It is bang-bang: in each interval, a joint uses a limit fully. Where z is the greatest
// number of K_{k+1}, the limit is one that makes the robot decelerate.
//
// The term d sqrt(x) of viscous friction and of the motors' lines is not linear in x. Near the
// solution, it is replaced by its tangent at the x' of the previous solution, which is Newton's
// method: d (sqrt(x') + x / sqrt(x')) / 2. If d > 0, this may exclude motions much slower than x'.
// Therefore, the first iterations use the chord from 0, (d / sqrt(x')) x, which excludes no motion
// from rest. Both equal d sqrt(x) at the fixed point, which therefore meets the exact conditions.

#include <functional>
#include <optional>
#include <span>

#include "torsor/motions/path_limits.hpp"

namespace torsor {

// A set of x, 1/s^2.
struct RateRange {
  double least, most;
};

struct PathInterval {
  double s, h;  // start and length
  PathPoint start, end;
  std::vector<PathPoint> inner;  // at equal distances between them
  // The sets of x at the ends where the motion does not continue in the neighbouring interval.
  std::optional<RateRange> start_set, end_set;
};

// x and u at both ends of an interval, 1/s^2 and 1/s.
struct IntervalRates {
  double p, z, u_0, u_1;
};

// Returns x and u along the fastest motion [intervals]. model: for names of joints in messages.
// margins: [intervals + 1] factors of the limits at the ends of the intervals. working: called
// before each iteration. Throws Error if no motion meets the limits, or if nothing limits a part of
// it.
std::vector<IntervalRates> fastest_rates(const Model& model,
                                         std::span<const PathInterval> intervals,
                                         std::span<const double> margins,
                                         const std::function<void()>& working);

// The limit that is used most at x and u. Its use is above 1 where it is exceeded.
struct LimitUse {
  double use;
  int dof;
};
LimitUse use_of(const PathPoint& point, double x, double u);
// Returns the largest use of a limit between the ends of an interval.
double use_within(const PathInterval& interval, const IntervalRates& rates);

}  // namespace torsor
